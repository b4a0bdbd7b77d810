"""Times that only the day on which they were said can tell, in every language of the lexicon."""

import pytest

from memory.domain.relative import has_relative_time

# fmt: off
RELATIVE = {
    "en": [
        "broke wrist yesterday", "next Monday", "moves in two weeks", "started last month", "born 3 weeks ago",
        "day after tomorrow", "this weekend", "tonight", "on Friday", "starts Monday", "in a fortnight",
        "a few days ago", "a year ago", "two years from now",
    ],
    "de": [
        "hat sich gestern das Handgelenk gebrochen", "neuer Job nächsten Montag", "kommenden Freitag",
        "letzte Woche umgezogen", "vor zwei Wochen", "in drei Tagen", "fängt morgen an", "Morgen fängt er an",
        "übermorgen", "heute Abend", "am Montag", "dieses Wochenende", "nächstes Jahr", "vorgestern",
    ],
    "fr": [
        "s'est cassé le poignet hier", "lundi prochain", "la semaine prochaine", "le mois dernier",
        "il y a deux semaines", "dans trois jours", "demain", "avant-hier", "après-demain", "ce soir",
        "cette semaine", "l'année prochaine",
    ],
    "es": [
        "se rompió la muñeca ayer", "el próximo lunes", "la semana pasada", "hace dos semanas",
        "dentro de tres días", "en tres días", "mañana empieza", "anteayer", "pasado mañana", "esta semana",
        "la semana que viene", "el lunes que viene", "el mes pasado",
    ],
    "it": [
        "ieri ha rotto il polso", "lunedì prossimo", "la settimana scorsa", "due settimane fa",
        "tra tre giorni", "fra due mesi", "domani", "dopodomani", "l'altro ieri", "stasera",
        "questa settimana", "il mese scorso", "la prossima settimana",
    ],
    "pt": [
        "quebrou o pulso ontem", "próxima segunda", "na semana passada", "há duas semanas",
        "daqui a três dias", "em três dias", "amanhã", "anteontem", "depois de amanhã",
        "segunda-feira que vem", "esta semana", "no mês passado",
    ],
    "nl": [
        "brak gisteren zijn pols", "volgende maandag", "vorige week", "twee weken geleden", "over drie dagen",
        "begint morgen", "eergisteren", "overmorgen", "vanavond", "deze week", "afgelopen maand",
        "komende vrijdag",
    ],
    "sv": [
        "bröt handleden igår", "nästa måndag", "förra veckan", "för två veckor sedan", "om tre dagar",
        "i morgon", "imorgon", "i går", "i övermorgon", "i förrgår", "ikväll", "den här veckan", "på måndag",
        "i måndags",
    ],
    "fi": [
        "mursi ranteensa eilen", "ensi maanantaina", "viime viikolla", "kaksi viikkoa sitten",
        "kolmen päivän päästä", "huomenna", "toissapäivänä", "ylihuomenna", "tänä iltana", "tällä viikolla",
        "ensi kuussa", "tulevana perjantaina",
    ],
    "et": [
        "murdis eile randme", "järgmisel esmaspäeval", "eelmisel nädalal", "kaks nädalat tagasi",
        "kolme päeva pärast", "homme", "üleeile", "ülehomme", "täna õhtul", "sel nädalal", "järgmisel kuul",
    ],
    "ru": [
        "вчера сломал запястье", "в следующий понедельник", "на прошлой неделе", "две недели назад",
        "через три дня", "завтра", "позавчера", "послезавтра", "сегодня вечером", "на этой неделе",
        "в прошлом месяце",
    ],
    "ja": [
        "昨日手首を折った", "来週の月曜日", "先週引っ越した", "二週間前", "3日後", "明日", "一昨日", "明後日",
        "今晩", "今週", "来月", "去年", "来年",
        "おととい", "あした", "きのう",
    ],
    "zh": [
        "昨天摔断了手腕", "下周一", "上个月", "两周前", "三天后", "明天", "前天", "后天", "今晚", "这周",
        "去年", "明年", "下星期一", "本周",
    ],
    "ko": [
        "어제 손목이 부러졌다", "다음 주 월요일", "지난달", "2주 전", "사흘 뒤", "3일 후", "내일", "그저께",
        "모레", "오늘 밤", "이번 주", "작년",
        "내년",
    ],
}
OTHERS = {
    "en": [
        "likes hiking on Mondays", "morning person", "May Weatherby", "last name is Smith",
        "next of kin is Anna", "two daughters", "the day care", "Tomorrowland fan", "works at Friday's",
        "2026-01-05", "drinks coffee every morning", "born in 1990", "3 days a week",
        "has lived in Berlin for three years", "Weekend at Bernie's", "lasts two weeks", "within 5 minutes",
    ],
    "de": [
        "trinkt am Morgen Kaffee", "steht jeden Morgen um 6 auf", "wohnt hier", "Guten Morgen",
        "joggt morgens", "heißt Montag", "letzter Wille", "drei Kinder",
    ],
    "fr": [
        "habite ici", "préfère le matin", "dernier étage", "prochain livre est sur Rome", "il y a deux chats",
        "dans trois villes",
    ],
    "es": [
        "prefiere la mañana", "por la mañana corre", "hace yoga", "hace dos deportes", "en tres idiomas",
        "pasado difícil",
    ],
    "it": [
        "abita a Roma", "tra due città", "due figli",
    ],
    "pt": [
        "mora em Lisboa", "há dois gatos", "em três idiomas", "segunda filha", "de manhã",
    ],
    "nl": [
        "woont hier", "'s morgens", "elke morgen", "over drie katten", "goede morgen",
    ],
    "sv": [
        "bor i Lund", "om tre katter", "för två barn", "på morgonen",
    ],
    "fi": [
        "asuu Oulussa", "ensi luokka", "aamulla", "kolme lasta",
    ],
    "et": [
        "elab Tartus", "kolm last", "pärast tööd",
    ],
    "ru": [
        "живёт в Москве", "по понедельникам", "через мост", "назад",
    ],
    "ja": [
        "書道が好き", "前田さん", "後藤", "来客", "三日坊主", "今井",
    ],
    "zh": [
        "前端工程师", "后端", "上海", "下载", "两只猫", "周杰伦",
    ],
    "ko": [
        "전주에 산다", "모레노", "이번",
    ],
}
# fmt: on


@pytest.mark.parametrize("language", RELATIVE)
def test_it_knows_times_that_only_their_day_can_tell(language):
    assert [text for text in RELATIVE[language] if not has_relative_time(text)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_it_leaves_other_times_and_like_words_alone(language):
    assert [text for text in OTHERS[language] if has_relative_time(text)] == []


@pytest.mark.parametrize("text", ["YESTERDAY", "  Next\u00a0Monday ", "Vor 2 Wochen", "ＹＥＳＴＥＲＤＡＹ", "IGÅR"])
def test_it_reads_through_case_and_spacing(text):
    assert has_relative_time(text)


@pytest.mark.parametrize("text", ["", "Graz", "2025-12-29", "9 to 5", "May 14", "x" * 1000, "1" * 1000, "in " * 300])
def test_it_has_nothing_to_say_of_plain_values(text):
    assert not has_relative_time(text)
