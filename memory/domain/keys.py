"""One spelling for one key: what two models call the same thing must meet in the same row."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

import regex

from .text import in_one_script

MAX_SEGMENTS = 5
MAX_LENGTH = 120
CUT_MARK = 8  # hexadecimal digits that tell apart what was cut

_MARKUP = regex.compile(r"<[^<>]*>?|&[a-zA-Z#0-9]{1,10};")
_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{Nd}])(?=\p{Lu}\p{Ll})")
_SEPARATOR = regex.compile(r"[:/.\\|>\u2192]+")
_GAP = regex.compile(r"[\s\p{Pd}_]+")
_STRANGE = regex.compile(r"[^\p{L}\p{M}\p{N}_]+")
_MARK = regex.compile(r"\p{M}")
_LETTER = regex.compile(r"\p{L}")
_OWNER = frozenset({"user", "profile", "me", "my", "self", "the_user", "user_profile"})
_FAVOURITE = regex.compile(r"^(?:favou?rites?|fav)[._](?=\p{L})")
_OWNER_PREFIX = regex.compile(r"(?:the_)?(?:my|users?)_(?=.)")

# Canonical key: the other spellings that models use for it. `_` inside a segment, `.` between segments.
_SPELLINGS: dict[str, str] = {
    "name": "full_name name.full first_and_last_name person.name",
    "name.first": "first_name given_name forename",
    "name.last": "last_name surname family_name",
    "nickname": "nick nick_name preferred_name name.preferred name.nick called goes_by",
    "pronouns": "pronoun gender_pronouns",
    "age": "user_age age_years years_old",
    "birth_date": "birthday date_of_birth dob birthdate birth.date born_on",
    "birth_year": "year_of_birth born_in_year birth.year yob",
    "birth_place": "place_of_birth birthplace birth.place born_in hometown home_town city.birth",
    "nationality": "citizenship",
    "email": "email_address e_mail contact.email mail",
    "phone": "phone_number telephone mobile mobile_number contact.phone cell_phone",
    "address.city": "city home_city home.city current_city city_of_residence residence location.city live_in lives_in "
    "lives home_location place_of_residence residence.city location.home town home.location location.current "
    "living_in current_location city_current",
    "address.country": "country home_country home.country country_of_residence location.country residence.country",
    "address.street": "street street_address home_address address home.address",
    "address.postcode": "postcode zip zip_code postal_code address.zip",
    "timezone": "time_zone tz",
    "work.role": "job occupation profession job_title work.title work.position role.work career position work.job "
    "employment.role job.title job.role work_role current_job works_as",
    "work.employer": "employer company workplace work.company employment.employer job.employer works_at works_for "
    "work.place employer.name company_name job.company current_employer company.name",
    "work.city": "office_city work_city office.city work.location office_location office.location",
    "work.start_date": "job_start job_start_date job.start start_date.job new_job_start",
    "work.former_employer": "former_employer previous_employer work.previous_employer past_employer",
    "education.school": "school university college alma_mater education.university",
    "education.field": "field_of_study major study degree_subject studies studying",
    "education.degree": "degree",
    "schedule.work_hours": "work_hours working_hours office_hours work.hours",
    "routine.morning": "morning_routine schedule.morning_routine schedule.morning",
    "spouse.name": "wife husband spouse partner wife_name husband_name spouse_name partner_name wife.name "
    "husband.name partner.name fiance fiancee fiance.name boyfriend girlfriend boyfriend.name girlfriend.name",
    "marital_status": "relationship_status civil_status",
    "child.name": "child children kids kid child_name children_names son daughter son.name daughter.name "
    "children.name children.names kid.name kids.names son_name daughter_name",
    "mother.name": "mother mother_name mom mom_name mum mum_name mom.name mum.name",
    "father.name": "father father_name dad dad_name dad.name",
    "sibling.name": "sibling siblings sibling_name",
    "brother.name": "brother brother_name brothers",
    "sister.name": "sister sister_name sisters",
    "friend.name": "friend friends friend_name best_friend best_friend.name",
    "dog.name": "dog dog_name dogs pet.dog.name pet.dog dogs.name pets.dog pets.dog.name dog_names",
    "cat.name": "cat cat_name cats pet.cat.name pet.cat cats.name pets.cat pets.cat.name cat_names",
    "pet": "pets animal animals pet.type",
    "pet.name": "pet_name pets.name pet_names",
    "language": "languages spoken_language spoken_languages languages_spoken language.spoken speaks "
    "languages.spoken language_spoken",
    "native_language": "mother_tongue first_language language.native",
    "hobby": "hobbies pastime pastimes hobbies_and_interests",
    "interest": "interests",
    "skill": "skills",
    "instrument": "instruments plays_instrument musical_instrument music.instrument",
    "sport": "sports",
    "allergy": "allergies allergic_to food_allergy food_allergies allergy.food health.allergy health.allergies",
    "diet": "dietary dietary_preference dietary_preferences diet_type preference.diet eating_habits "
    "dietary_restriction dietary_restrictions food.diet",
    "dislike": "dislikes hates",
    "dislike.food": "food_dislike food_dislikes disliked_food food.dislike disliked_foods dislikes.food",
    "like": "likes loves enjoys",
    "preference.coffee": "coffee coffee_preference coffee_order preference.coffee_order",
    "preference.communication_style": "communication_style preference.communication response_style "
    "preferred_communication_style answer_style",
    "favourite.food": "preference.food",
    "favourite.colour": "favourite.color color.favorite",
    "favourite.music": "music_preference preference.music",
    "favourite.film": "favourite.movie",
    "car": "vehicle car.model car_model",
    "bike": "bicycle bike.model bicycle.model",
    "device.phone": "phone_model smartphone phone.model device.smartphone",
    "device.computer": "computer laptop device.laptop computer.model laptop.model",
    "goal": "goals",
    "shoe_size": "size.shoe shoe.size",
}
ALIASES: Mapping[str, str] = {spelling: key for key, spellings in _SPELLINGS.items() for spelling in spellings.split()}
# "address city" and `work.start.date`: the usual keys, however their words are parted.
_FLAT = {one.replace(".", "_"): key for one, key in [*ALIASES.items(), *((key, key) for key in _SPELLINGS)]}


def canonical(key: str, aliases: Mapping[str, str] | None = None) -> str | None:
    """The one normal form of a key, or None where nothing sensible is left.

    `:` `/` `.` part segments (at most 5, what is more becomes part of the last); spaces, dashes and camelCase become
    `_` inside one. Letters of every script stay, but for those that only pretend to be of the word's. A key that is
    too long ends in a mark of what was cut, so that two do not become one. `aliases` are the operator's (spelling to
    key, in any spelling) and win over the built-in ones.
    """
    plain = spelling(key)
    if plain is None:
        return None
    own = _own(tuple((aliases or {}).items()))
    for said in (plain, _without_owner(plain)):
        if said in own:
            return own[said]
    usual = _usual(plain)
    return own.get(usual, usual)


def is_usual(key: str) -> bool:
    """Whether a canonical key is one that the product itself knows other spellings of."""
    return key in _SPELLINGS


def alike(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """For each key, all that are one with it by any chain of pairs, itself among them."""
    found: dict[str, frozenset[str]] = {}
    for one, other in pairs:
        both = found.get(one, frozenset({one})) | found.get(other, frozenset({other}))
        found.update(dict.fromkeys(both, both))
    return found


@lru_cache(maxsize=64)
def _own(aliases: tuple[tuple[str, str], ...]) -> Mapping[str | None, str | None]:
    return {spelling(one): spelling(target) for one, target in aliases}


def _usual(plain: str) -> str:
    if plain in ALIASES:
        return ALIASES[plain]
    shorter = _FAVOURITE.sub("favourite.", _without_owner(plain))
    if shorter in ALIASES or shorter in _SPELLINGS:
        return ALIASES.get(shorter, shorter)
    return _FLAT.get(_bare(shorter.replace(".", "_")), shorter)


def _bare(text: str) -> str:
    """The text without accents."""
    return text if text.isascii() else _MARK.sub("", unicodedata.normalize("NFD", text))


def spelling(key: str) -> str | None:
    """The normal form before aliases: markup out, casefolded, separators unified, cut to size."""
    key = _MARKUP.sub(" ", unicodedata.normalize("NFKC", key[: 8 * MAX_LENGTH]))
    key = unicodedata.normalize("NFKC", _CAMEL.sub("_", key).casefold())
    parts = (_STRANGE.sub("", _GAP.sub("_", part)) for part in _SEPARATOR.split(key))
    segments = [segment for part in parts if (segment := _GAP.sub("_", in_one_script(part)).strip("_"))]
    head, rest = segments[: MAX_SEGMENTS - 1], segments[MAX_SEGMENTS - 1 :]
    joined = ".".join([*head, *(["_".join(rest)] if rest else [])])
    if len(joined) > MAX_LENGTH:
        mark = hashlib.sha256(joined.encode()).hexdigest()[:CUT_MARK]
        joined = f"{joined[: MAX_LENGTH - CUT_MARK - 1].rstrip('._')}_{mark}"
    return joined if _LETTER.search(joined) else None


def _without_owner(plain: str) -> str:
    """`user.home_city` and `my_dog_name` are the person's own: what they say is behind the owner."""
    head, _, rest = plain.partition(".")
    if rest and head in _OWNER and _LETTER.search(rest):
        return _without_owner(rest)
    shorter = _OWNER_PREFIX.sub("", plain, count=1) if _OWNER_PREFIX.match(plain) else plain
    return shorter if shorter in ALIASES or shorter in _SPELLINGS else plain
