import threading
import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.terms import as_written, is_specific, query_tokens, term_ids, tokens


def found_by(question, text):
    return not set(query_tokens(question)).isdisjoint(tokens(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # identifiers, whole and in parts
        ("what was ATL-4471 about?", ["atl-4471", "atl", "4471"]),
        ("(ATL\u20114471)", ["atl-4471", "atl", "4471"]),
        ("ATL4471", ["atl4471", "atl", "4471"]),
        ("inv/2024/113", ["inv/2024/113", "inv", "2024", "113"]),
        (
            "project.atlas.launch_date",
            ["project.atlas.launch_date", "project", "atlas", "launch_date", "launch", "date"],
        ),
        ("launchDate", ["launchdat", "launch", "date"]),
        ("GPT-4 GPT4", ["gpt-4", "gpt", "4", "gpt4", "gpt", "4"]),
        ("mp3 h1n1", ["mp3", "h1n1"]),
        # figures
        ("1,200", ["1200"]),
        ("1.200", ["1200"]),
        ("1\u202f200 1'200", ["1200", "1200"]),
        ("1,200.50 1.200,50", ["1200.50", "1200.50"]),
        ("3,14 3.14", ["3.14", "3.14"]),
        ("1,2,3", ["1", "2", "3"]),
        ("10:30am", ["10:30"]),
        ("5km 5 km", ["5km", "5", "km", "5", "km"]),
        ("2nd", ["2"]),
        ("555-0147", ["555-0147", "555", "0147"]),
        # versions, files, addresses
        ("3.11.2", ["3.11.2", "3.11"]),
        ("v3.11.2", ["3.11.2", "3.11"]),
        ("Python3.11", ["python", "3.11"]),
        ("report_v2.pdf", ["report_v2.pdf", "report_v2", "report", "v2", "pdf"]),
        (
            "ada.king@math.example",
            ["ada.king@math.example", "ada.king", "ada", "king", "math.example", "math", "exampl"],
        ),
        ("https://math.example/docs?id=55", ["https", "math.example", "math", "exampl", "doc", "id", "55"]),
        # names of languages
        ("C++ C# F# .NET c++17", ["c++", "c#", "f#", ".net", "c++", "17"]),
        ("ASP.NET node.js", ["asp.net", "asp", "net", "node.js", "node", "js"]),
        # English
        ("cities running", ["citi", "run"]),
        ("Melanie's dogs' bowls", ["melani", "dog", "bowl"]),
        ("O'Brien, l'homme", ["obrien", "brien", "homm"]),
        ("e-mail U.S.A. well-known", ["email", "e", "mail", "usa", "well", "know"]),
        ("the dog.The cat", ["dog", "cat"]),
        # scripts
        ("café Ørsted Łódź Straße", ["cafe", "orst", "lodz", "strass"]),
        ("Привёт", ["привет"]),
        ("ﬁne ｆｕｌｌ zero\u200bwidth", ["fine", "full", "zerowidth"]),
        ("登山をする", ["登山", "山を", "をす", "する", "登", "山"]),
        ("ｶﾀｶﾅ", ["カタ", "タカ", "カナ"]),
        ("번역을", ["번역", "역을", "번", "역", "을"]),
        ("ก้าวหน้า", ["ก้า", "าว", "วห", "หน้", "น้า"]),
        ("ខ្មែរ ລາວ", ["ខ្មែរ", "ລາ", "າວ"]),
        ("الكِتَابُ والكتاب كتـاب", ["كتاب", "كتاب", "كتاب"]),
        ("أحمد مدرسة علی", ["احمد", "مدرسه", "علي"]),
        ("שָׁלוֹם", ["שלום"]),
        ("पढ़ना हिन्दी", ["पढना", "हिन्दी"]),
        ("١٢٣ १२३", ["123", "123"]),
        ("👩🏽‍💻 👍🏿 ❤️ 🇩🇪🇫🇷", ["👩\u200d💻", "👍", "❤", "🇩🇪", "🇫🇷"]),
        ("\ud800 a\x00b", ["ab"]),
        ("", []),
        (" \n --- !?", []),
    ],
)
def test_it_cuts_texts_of_every_kind_into_terms(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ATL 4471", "Ticket ATL-4471: pump seal leaks"),
        ("ticket ATL\u20114471", "atl4471 is done"),
        ("what costs 1200", "It cost 1.200 € in all"),
        ("python 3.11", "we run 3.11.2 in production"),
        ("report v2", "see /home/ada/report_v2.pdf"),
        ("launch date", "project.atlas.launch_date"),
        ("cafe", "the cafe\u0301 by the river"),
        ("strasse", "Lange Straße 3"),
        ("Did I mention moving cities?", "I moved to another city"),
        ("When did Bob go and what did he buy?", "Bob went and bought shoes"),
        ("which color", "nice colours"),
        ("email", "send me an e-mail"),
        ("しりとり", "週末はしりとりと登山をする"),
        ("登山", "週末はしりとりと登山をする"),
        ("そばは食べられる？", "そばアレルギーがある"),
        ("设备", "书房的设备清单里有一台NAS"),
        ("NAS", "书房的设备清单里有一台NAS"),
        ("猫", "黒い猫が好き"),
        ("번역", "오늘부터 번역을 맡았다"),
        ("집", "집에 간다"),
        ("部署 deployment", "go 部署 在星期五"),
        ("ไทย", "ภาษาไทย"),
        ("كتاب", "والكتابُ"),
        ("👍", "done 👍🏿"),
    ],
)
def test_it_finds_a_text_by_another_way_to_write_it(question, text):
    assert found_by(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [("4471", "ATL-44710"), ("4471", "ATL-447"), ("C#", "C++"), ("3.11", "3.1"), ("登山", "登る山"), ("1200", "12:00")],
)
def test_it_keeps_apart_what_only_looks_alike(question, text):
    assert not found_by(question, text)


def test_it_keeps_identifiers_apart_that_begin_alike():
    whole = set(tokens("ATL-4471"))
    assert whole & set(tokens("ATL-44710")) == whole & set(tokens("ATL-447")) == {"atl"}


def test_it_leaves_out_small_words_unless_nothing_else_is_left():
    assert query_tokens("What is the name of my dog?") == ["name", "dog"]
    assert query_tokens("the who") == tokens("The Who") == ["the", "who"]


def test_it_keeps_repeats_in_order():
    assert tokens("dog cat dog") == ["dog", "cat", "dog"]


def test_it_asks_for_pairs_where_a_text_also_has_each_character():
    assert set(query_tokens("登山")) == {"登山"}
    assert set(tokens("登山")) == {"登山", "登", "山"}


@pytest.mark.parametrize(
    "term",
    [
        "atl-4471",
        "4471",
        "2024",
        "1200.50",
        "3.11",
        "10:30",
        "report_v2.pdf",
        "ada@math.example",
        "mp3",
        "c++",
        ".net",
        "x_y",
    ],
)
def test_it_knows_what_names_one_thing_exactly(term):
    assert is_specific(term)


@pytest.mark.parametrize("term", ["atl", "dog", "7", "登山", "번역", "👍", "cafe", "", "кот"])
def test_it_knows_what_does_not(term):
    assert not is_specific(term)


def test_it_gives_terms_numbers_that_mean_something_in_one_profile_alone():
    ada, bob = uuid.UUID(int=1), uuid.UUID(int=2)
    numbers = term_ids(ada, ["dog", "cat", "dog"])
    assert len(numbers) == 2
    assert numbers == term_ids(ada, ["dog", "cat"])
    assert not set(numbers) & set(term_ids(bob, ["dog", "cat"]))
    assert all(-(2**63) <= number < 2**63 for number in term_ids(ada, map(str, range(500))))
    assert term_ids(ada, ["dog"]) == [5996710437333088646]  # what is stored must not change under the rows


@given(st.text(max_size=300))
def test_it_never_fails_and_every_term_can_be_stored(text):
    for term in (*tokens(text), *query_tokens(text)):
        assert 0 < len(term) <= 64
        assert not any(map(str.isspace, term))
        assert isinstance(is_specific(term), bool)
    assert len(term_ids(uuid.UUID(int=1), tokens(text))) == len(set(tokens(text)))


@given(st.text(max_size=60), st.text(max_size=60))
def test_it_reads_each_word_alone_and_cleaned_text_alike(one, other):
    content = set(tokens("xylophone " + one)) | set(tokens("xylophone " + other))
    assert set(tokens(f"xylophone {one} {other}")) == content


@given(st.text(max_size=100))
def test_a_question_in_the_very_words_of_a_text_finds_it(text):
    assert set(query_tokens(text)) <= set(tokens(text))


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "a-", "a.", "1,", "1.", ",111", "a/", "a@", "a'", "aA", "x1", "1:", "_1", "v1.", "A+"),
        *("\u0301", "a\u0301\u0316", "登山", "ภา", "\u0e31", "ក្", "ال", "👩\u200d", "\u200d", "🇩", "İ", "ß"),
    ],
)
def test_it_takes_time_in_proportion_to_a_hostile_text(piece):
    """100,000 characters without a space: what took the square of that would take minutes."""
    text = "1" + piece * (100_000 // len(piece))
    begun = time.process_time()
    tokens(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "term", "word"),
    [
        ("Where does Beans sleep?", "bean", "Beans"),
        ("Wo wohnt Frau Müller?", "muller", "Müller"),
        ("the status of ATL-4471, please", "4471", "ATL-4471"),
        ("the status of ATL-4471, please", "atl-4471", "ATL-4471"),
        ("my sister's running shoes", "run", "running"),
        ("(Beans) beans", "bean", "Beans"),
        ("我住在塔林", "塔林", "塔林"),
    ],
)
def test_it_knows_the_word_that_a_term_was_made_from(text, term, word):
    assert as_written(text)[term] == word


@given(st.text(max_size=200))
def test_most_that_is_written_is_a_piece_of_the_text(text):
    assert all(word in text or word == term for term, word in as_written(text).items())


def test_it_may_be_used_by_many_threads_at_once():
    expected = tokens("running cities quickly 登山 ATL-4471")
    wrong = []

    def work(number):
        for n in range(300):
            if tokens(f"running cities quickly 登山 ATL-4471 w{number}x{n}")[: len(expected)] != expected:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
