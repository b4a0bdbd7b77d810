import pytest

from memory.domain.sensitive import DEFAULT, Finding, Handling, Policy, SensitiveClass, decide

HEALTH = Finding(SensitiveClass.HEALTH, 0, 4, "diagnosis")
PERSONAL = Finding(SensitiveClass.SENSITIVE_PERSONAL, 5, 9, "religion")
CREDENTIAL = Finding(SensitiveClass.CREDENTIAL, 10, 14, "password")


def test_it_lets_pass_what_holds_nothing():
    assert decide([]) == ("allow", ())


@pytest.mark.parametrize("cls", SensitiveClass)
def test_it_never_keeps_a_class_by_default(cls):
    assert decide([Finding(cls, 0, 1, "")]) == ("never", (cls,))


@pytest.mark.parametrize("cls", ["credential", "payment", "government_id"])
@pytest.mark.parametrize("handling", ["allow", "review"])
def test_it_says_in_a_sentence_that_some_classes_leave_no_choice(cls, handling):
    with pytest.raises(ValueError, match=rf'^[A-Z].* are never stored: for "{cls}" only "never" is possible\.$'):
        Policy.parse({cls: handling})
    with pytest.raises(ValueError, match="never stored"):
        Policy({SensitiveClass(cls): Handling(handling)})


def test_it_takes_never_for_those():
    assert Policy.parse({"credential": "never"}).as_dict() == DEFAULT.as_dict()


def test_it_names_what_it_does_not_know():
    with pytest.raises(ValueError, match='"shoe_size" is no sensitive class; there are credential, payment'):
        Policy.parse({"shoe_size": "allow"})
    with pytest.raises(ValueError, match='"perhaps" is not possible for "health"; it can be allow, review, never'):
        Policy.parse({"health": "perhaps"})


def test_it_follows_the_strictest_and_names_who_asks_for_it():
    policy = Policy.parse({"health": "allow", "sensitive_personal": "review"})
    assert decide([HEALTH], policy) == ("allow", (SensitiveClass.HEALTH,))
    assert decide([HEALTH, PERSONAL], policy) == ("review", (SensitiveClass.SENSITIVE_PERSONAL,))
    assert decide([PERSONAL, HEALTH, CREDENTIAL], policy) == ("never", (SensitiveClass.CREDENTIAL,))
    handling, classes = decide([PERSONAL, HEALTH, HEALTH])
    assert handling is Handling.NEVER
    assert classes == (SensitiveClass.HEALTH, SensitiveClass.SENSITIVE_PERSONAL)


def test_it_reads_back_what_it_wrote():
    policy = Policy.parse({"health": "review"})
    assert policy.as_dict() == {
        "credential": "never",
        "payment": "never",
        "government_id": "never",
        "health": "review",
        "sensitive_personal": "never",
    }
    assert Policy.parse(policy.as_dict()).as_dict() == policy.as_dict()
