"""Masking JSON values: keys, numbers, depth, identity, and what is no JSON."""

import json
import sys
from collections import Counter
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import privacy
from octavo.errors import ArgumentError
from octavo.privacy import Masker
from octavo.privacy.nested import masked_json
from personal_texts import CARD, EMAIL, PEM, PHONE, RRN, texts

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from([int(CARD), float(CARD)]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def leaves(value: Any) -> int:
    """How many values there are that hold no others."""
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


@given(values)
def test_json_stays_json_with_as_many_values(value: Any) -> None:
    masked = privacy.mask_json(value)
    assert leaves(masked) == leaves(value)
    assert json.loads(json.dumps(masked)) == masked or "NaN" in json.dumps(masked)


@given(values)
def test_masking_twice_is_masking_once(value: Any) -> None:
    once = privacy.mask_json(value)
    assert privacy.mask_json(once) is once


@given(values)
def test_every_text_is_masked_at_least_as_it_would_be_alone(value: Any) -> None:
    def walk(masked: Any) -> None:
        if isinstance(masked, str):
            assert privacy.mask(masked) is masked
        elif isinstance(masked, dict):
            for key, member in masked.items():
                walk(key)
                walk(member)
        elif isinstance(masked, list):
            for member in masked:
                walk(member)

    walk(privacy.mask_json(value))


written = st.recursive(
    texts | st.sampled_from([PEM, f"x: {PEM}\n", "https://u:p4ssW0rd@h/", "a\\", 'password="x1y2z3\\"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts | st.just("password"), inner, max_size=3),
    max_leaves=8,
)


@given(written, st.booleans(), st.sampled_from([None, 2]))
def test_texts_in_json_are_masked_where_they_are_written(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert leaves(json.loads(privacy.mask(text), object_pairs_hook=Members)) == leaves(value)


class Members(dict[str, Any]):
    """The members of an object as they are written, those with equal keys included."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__({str(at): value for at, (_, value) in enumerate(pairs)})


def test_keys_and_values_are_masked_at_every_depth() -> None:
    value = {EMAIL: [{"phone": f"call {PHONE}"}, (RRN, None, True)], "n": 1.5}
    assert privacy.mask_json(value) == {"[EMAIL]": [{"phone": "call [KR_PHONE]"}, ("[KR_RRN]", None, True)], "n": 1.5}
    assert value[EMAIL], "the caller's own value is left alone"


def test_unchanged_parts_are_the_same_objects() -> None:
    same = {"list": [1, "text", {"deep": (1, 2)}], "empty": {}}
    assert privacy.mask_json(same) is same
    value = {"same": same, "other": [same, RRN]}
    masked = privacy.mask_json(value)
    assert masked["same"] is same
    assert masked["other"][0] is same
    assert masked["other"][1] == "[KR_RRN]"


def test_keys_that_become_equal_are_numbered() -> None:
    value = {"a@example.com": 1, "[EMAIL]": 2, "b@example.com": 3, "[EMAIL] 2": 4, "c@example.com": 5}
    masked = privacy.mask_json(value)
    assert masked == {"[EMAIL] 3": 1, "[EMAIL]": 2, "[EMAIL] 4": 3, "[EMAIL] 2": 4, "[EMAIL] 5": 5}
    assert list(masked.values()) == [1, 2, 3, 4, 5]
    assert privacy.mask_json(masked) is masked


def test_many_keys_that_become_equal_take_no_longer_than_their_number() -> None:
    masked = privacy.mask_json({f"u{number}@example.com": number for number in range(20_000)})
    assert list(masked.values()) == list(range(20_000))
    assert "[EMAIL] 20000" in masked


@pytest.mark.parametrize("number", [int(CARD), float(CARD)])
def test_a_number_that_is_somebody_s_becomes_a_text(number: float) -> None:
    assert privacy.mask_json({"card": number}) == {"card": "[CREDIT_CARD]"}
    assert privacy.mask_json([number]) == ["[CREDIT_CARD]"]
    assert privacy.mask_json({number: 1}) == {"[CREDIT_CARD]": 1}
    assert privacy.mask_json(number) == "[CREDIT_CARD]"


def test_other_numbers_stay() -> None:
    numbers = [0, -1, 1716283456789, 37.5665, 1e300, float("inf"), float("nan"), 10**5000, -(10**5000), True]
    assert privacy.mask_json(numbers) is numbers


def test_a_value_is_read_in_the_light_of_its_key() -> None:
    secret = "hunter2Zq9xK"  # noqa: S105 - invented
    assert privacy.mask(secret) is secret
    assert privacy.mask_json({"password": secret}) == {"password": "[SECRET]"}
    assert privacy.mask_json({"password": [secret, secret]}) == {"password": ["[SECRET]", "[SECRET]"]}
    assert privacy.mask_json({"note": secret, "password": {"hint": secret}}) == {
        "note": secret,
        "password": {"hint": secret},
    }
    shared = [secret]
    masked = privacy.mask_json({"note": shared, "password": shared})
    assert masked == {"note": [secret], "password": ["[SECRET]"]}
    account = "123456-04-123456"
    assert privacy.mask_json({"계좌번호": account}) == {"계좌번호": "[KR_BANK_ACCOUNT]"}


def test_depth_does_not_matter() -> None:
    value: Any = RRN
    for number in range(100_000):
        value = {"k": value} if number % 2 else [value]
    masked = privacy.mask_json(value)
    for number in reversed(range(100_000)):
        masked = masked["k"] if number % 2 else masked[0]
    assert masked == "[KR_RRN]"
    assert sys.getrecursionlimit() < 100_000


def test_what_is_shared_is_masked_once() -> None:
    value: Any = [RRN]
    for _ in range(200):
        value = [value, value]  # written out, these are 2**200 numbers
    masked = privacy.mask_json(value)
    for _ in range(200):
        assert masked[0] is masked[1]
        masked = masked[0]
    assert masked == ["[KR_RRN]"]


def test_a_value_that_contains_itself_is_refused() -> None:
    value: dict[str, Any] = {"a": [1]}
    value["a"].append({"b": value})
    with pytest.raises(ArgumentError, match=r"value\['a'\]\[1\]\['b'\] contains itself: dict"):
        privacy.mask_json(value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"x", "value is no JSON value: bytes"),
        ({"a": [0, {1, 2}]}, r"value\['a'\]\[1\] is no JSON value: set"),
        ({"a": MappingProxyType({})}, r"value\['a'\] is no JSON value: mappingproxy"),
        ({("a", 1): 2}, "value has a key that is no JSON key: tuple"),
        ([object()], r"value\[0\] is no JSON value: object"),
    ],
)
def test_what_is_no_json_is_refused_where_it_stands(value: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        privacy.mask_json(value)


def test_the_refusal_says_nothing_that_must_not_be_seen() -> None:
    with pytest.raises(ArgumentError) as caught:
        privacy.mask_json({EMAIL: {f"x {RRN}": RRN.encode()}})
    said = f"{caught.value} {caught.value.name} {caught.value.got!r} {caught.value!r}"
    assert "[EMAIL]" in said
    assert EMAIL not in said
    assert RRN not in said


def test_other_options_hold_for_values_too() -> None:
    keyed = Masker(pseudonym_key=b"0123456789abcdef")
    token = keyed.mask(EMAIL)
    assert keyed.mask_json({EMAIL: [EMAIL]}) == {token: [token]}
    vaulted = Masker(vault=privacy.MemoryVault())
    masked = vaulted.mask_json({"a": f"to {EMAIL}"})
    assert vaulted.unmask(masked["a"]) == f"to {EMAIL}"


# ---- the name of a value --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [*range(20, 140, 7), 63, 64, 65, 500])
def test_a_long_key_is_a_name_too_and_the_same_when_it_is_masked(length: int) -> None:
    secret = "hunter2Zq9xK"  # noqa: S105 - invented
    for key in ("x " * length + "password", f"password {f'{EMAIL} ' * (length // 16)}a@b.co password"):
        for masker in (Masker(), Masker(pseudonym_key=b"0123456789abcdef")):
            once = masker.mask_json({key: secret})
            assert secret not in str(once)
            assert masker.mask_json(once) is once


def test_a_key_that_was_numbered_says_what_it_said_before() -> None:
    value = {"password a@b.co": "hunter2Zq9xK", "password c@d.co": "hunter2Zq9xK", "password e@f.co": "[x]"}
    for masker in (Masker(), Masker(pseudonym_key=b"0123456789abcdef"), Masker(vault=privacy.MemoryVault())):
        once = masker.mask_json(value)
        assert len(once) == 3
        assert masker.mask_json(once) is once


class Strange(str):
    """A text that says it is equal to every other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


def test_a_text_that_compares_itself_otherwise_hides_nothing() -> None:
    masked = privacy.mask_json({"a": Strange(RRN), "b": [Strange("none"), Strange(EMAIL)], "c": Strange("plain")})
    assert list(map(str.__str__, [masked["a"], *masked["b"]])) == ["[KR_RRN]", "none", "[EMAIL]"]
    assert str.__str__(next(iter(privacy.mask_json({Strange(EMAIL): 1})))) == "[EMAIL]"
    assert str.__str__(privacy.mask_json({Strange("password"): "hunter2Zq9xK"}).popitem()[1]) == "[SECRET]"


def counted(value: Any) -> Counter[str]:
    found: Counter[str] = Counter()
    masker = Masker().counting(lambda kind, times: found.update({kind: times}))
    masker.mask_json(value)
    return found


def test_every_place_is_counted_not_every_text() -> None:
    mail, phone = f"to {EMAIL}", PHONE
    value = [mail, mail, {"to": mail, "cc": [mail, mail]}, {EMAIL: phone}, {EMAIL: {"x": phone}}, {"x": EMAIL}, EMAIL]
    assert counted(value) == {"EMAIL": 9, "KR_PHONE": 2}
    assert counted(["nothing", {"x": 1}]) == {}
    # Of a key it is said where an error is, which masks it once more.
    found: Counter[str] = Counter()
    masker = Masker().counting(lambda kind, times: found.update({kind: times}))
    with pytest.raises(ArgumentError):
        masker.mask_json({EMAIL: object()})
    assert found.total() == 0


def test_a_list_under_many_keys_is_read_once_for_what_they_say() -> None:
    items = [f"item {number}" for number in range(2_000)] + ["hunter2Zq9xK", "110123456789", PHONE]
    value: dict[str, Any] = {f"key{number}": items for number in range(2_000)}
    value |= {"password": items, "account_number": items, "x": {"y": [items, items]}}
    masked = privacy.mask_json(value)
    for name in ("key0", "key7", "key8", "key1999"):
        assert masked[name] == [*items[:-1], "[KR_PHONE]"]
    assert masked["key20"] is masked["key1999"]
    assert masked["password"][-3] == "[SECRET]"
    assert masked["account_number"][-3:] == ["hunter2Zq9xK", "[KR_BANK_ACCOUNT]", "[KR_PHONE]"]
    assert json.loads(json.dumps(masked)) == masked


def test_how_often_a_shared_list_is_read_has_a_bound() -> None:
    items = [f"item {number}" for number in range(100)]
    asked = 0

    def mask(texts: list[tuple[str, str]], _times: list[int], _known: object) -> list[str]:
        nonlocal asked
        asked += len(texts)
        return [text for _, text in texts]

    value = {f"key{number}": items for number in range(1_000)}
    assert masked_json(value, mask, lambda name: name.endswith("7"), find=lambda _: []) is value
    # Eight names as they are, and of the others those that say one thing and those that say another.
    assert asked == 1_000 + (8 + 2) * 100


def test_a_shared_object_is_read_once_whatever_it_stands_under() -> None:
    shared = {"password": "hunter2Zq9xK", "phone": PHONE}
    masked = privacy.mask_json({f"password{number}": shared for number in range(1_000)} | {"list": [shared] * 1_000})
    assert masked["password3"] == {"password": "[SECRET]", "phone": "[KR_PHONE]"}
    assert all(one is masked["password3"] for one in [*masked["list"], masked["password999"]])


@pytest.mark.parametrize("depth", [0, 1, 50])
def test_what_contains_itself_is_refused(depth: int) -> None:
    inner: list[Any] = [EMAIL]
    inner.append({"again": inner})
    value: Any = inner
    for _ in range(depth):
        value = {EMAIL: [value]}
    with pytest.raises(ArgumentError, match="contains itself") as caught:
        privacy.mask_json(value)
    assert EMAIL not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ([{"name": "DB_PASSWORD", "value": "hunter2Zq9xK"}], [{"name": "DB_PASSWORD", "value": "[SECRET]"}]),
        ({"value": "8502281234567", "label": "주민번호"}, {"value": "[KR_RRN]", "label": "주민번호"}),
        ({"Name": "API_KEY", "Value": ["a1B2c3D4e5F6g7H8i9J0"]}, {"Name": "API_KEY", "Value": ["[SECRET]"]}),
        ({"question": "비밀번호", "answer": "hunter2Zq9xK"}, {"question": "비밀번호", "answer": "[SECRET]"}),
    ],
)
def test_a_pair_of_name_and_value_is_read_as_one(value: Any, masked: Any) -> None:
    assert privacy.mask_json(value) == masked
    assert privacy.mask_json(masked) == masked


def test_what_is_no_pair_is_left_alone() -> None:
    value = [{"name": "colour", "value": "hunter2Zq9xK"}, {"name": "DB_PASSWORD", "of": "hunter2Zq9xK"}, {"value": 5}]
    assert privacy.mask_json(value) is value


@pytest.mark.parametrize(
    "password",
    [
        "hunter2\nZq9xK",
        "Zq9x\nhunter2Zq9xK",
        "\nhunter2Zq9xK",
        "sunshine\n",
        "Zq9x\0hunter2",
        " hunter2Zq9xK",
        "hunter2Zq9xK ",
    ],
)
def test_a_password_with_line_ends_and_blanks_is_masked_whole(password: str) -> None:
    masked = privacy.mask_json({"password": password})
    assert masked == {"password": "[SECRET]"}
    assert privacy.mask_json(masked) == masked


@pytest.mark.parametrize("text", ["Enter your\npassword", " line one\nand the password is long ", "\n"])
def test_a_text_of_several_lines_under_a_password_is_left(text: str) -> None:
    value = {"password": text}
    assert privacy.mask_json(value) is value


def test_in_a_list_of_arguments_the_option_names_the_next() -> None:
    value = {"args": ["mysql", "--password", "hunter2Zq9xK", "--host", "hunter2Zq9xL"], "n": ["--token", 5]}
    masked = privacy.mask_json(value)
    assert masked == {"args": ["mysql", "--password", "[SECRET]", "--host", "hunter2Zq9xL"], "n": ["--token", 5]}
    assert privacy.mask_json(masked) == masked


# ---- what stands around a value -------------------------------------------------------------------------------------

SECRET = "hunter2Zq9xK"  # noqa: S105 - invented
NUMBER = "8502281234567"
ACCOUNT = "35212345678"


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ({"columns": ["n", "rrn"], "data": [["a", NUMBER]]}, [NUMBER]),
        ({"columns": ["n", "계좌번호"], "data": [["a", int(ACCOUNT)], ["b", 110123456789]]}, [ACCOUNT, "110123456789"]),
        ({"headers": ["이름", "주민번호"], "rows": [["홍", NUMBER]]}, [NUMBER]),
        ([["name", "rrn"], ["홍", NUMBER]], [NUMBER]),
        ({"accounts": ["35212345678901", "110123456789"]}, ["35212345678901", "110123456789"]),
        ({"account_numbers": [ACCOUNT]}, [ACCOUNT]),
        ({"rrns": [NUMBER]}, [NUMBER]),
        ({"phones": ["1012345678"]}, ["1012345678"]),
        ({"rrn": {str(row): NUMBER[:-1] + str(row % 10) for row in range(50)}}, [NUMBER[:-1]]),
        ({"rrn": dict.fromkeys(range(50), int(NUMBER))}, [NUMBER]),
        ({"bankAccount": {"number": ACCOUNT}}, [ACCOUNT]),
        ({"phone": {"number": "1012345678"}}, ["1012345678"]),
        ({"phones": [{"label": "home", "number": "1012345678"}]}, ["1012345678"]),
        ({"user": {"ssn": {"value": NUMBER}}}, [NUMBER]),
        ({"title": "계좌번호", "content": ACCOUNT}, [ACCOUNT]),
        ({"variable": "DB_PASSWORD", "value": SECRET}, [SECRET]),
        ({"type": "password", "value": SECRET}, [SECRET]),
        ({"type": "password", "name": "field1", "value": "sunshine"}, ["sunshine"]),
        ({"ParameterKey": "DBPassword", "ParameterValue": SECRET}, [SECRET]),
        ({"k": "password", "v": SECRET}, [SECRET]),
        ({"field": "password", "data": SECRET}, [SECRET]),
        ({"password": 12345678}, ["12345678"]),
        ({"pin": 1234}, ["1234"]),
        ({"secrets": {"db": SECRET}}, [SECRET]),
        ({"credentials": {"kim": SECRET}}, [SECRET]),
    ],
)
def test_what_stands_around_a_value_says_what_it_is(value: Any, gone: list[str]) -> None:
    masked = privacy.mask_json(value)
    written = json.dumps(masked, ensure_ascii=False)
    assert [one for one in gone if one in written] == []
    assert privacy.mask_json(masked) is masked


@pytest.mark.parametrize(
    "value",
    [
        {"order": {"number": "12345678901"}},
        {"columns": ["n", "order_no"], "data": [["a", NUMBER]]},
        {"credentials": {"username": "kim12345abcdef", "host": "db12.example34.com", "id": "ab12cd34ef56gh"}},
        {"secrets": {"count": 2, "names": ["db", "mail"]}},
        {"type": "string", "value": SECRET},
        {"name": "get_bank_account", "content": "12 found"},
        {"pins": 12, "page": {"number": 1234, "value": 12345678}},
    ],
)
def test_what_says_nothing_of_the_kind_is_left(value: Any) -> None:
    assert privacy.mask_json(value) is value


NAMES = ["password", "rrn", "accounts", "phone", "secrets", "name", "value", "columns", "data", "rows", "계좌번호", "0"]
spoken = st.recursive(
    texts
    | st.sampled_from([SECRET, NUMBER, ACCOUNT, "DB_PASSWORD", "rrn", "name", PEM, "", 'a"b', "줄\n바꿈"])
    | st.sampled_from([int(NUMBER), int(ACCOUNT), 1234, 12345678, 1.5, float(NUMBER), -5])
    | st.none()
    | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | texts, inner, max_size=4),
    max_leaves=14,
)


@given(spoken)
def test_nothing_that_is_found_in_the_written_text_is_left_in_the_value(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False)
    masked = privacy.mask_json(value)
    after = json.dumps(masked, ensure_ascii=False)
    for found in privacy.find(written):
        hidden = written[found.start : found.end]
        # A short number may stand anywhere: each place of it counts.
        assert after.count(hidden) < written.count(hidden), (hidden, found.kind)
    assert privacy.find(after) == ()
    assert privacy.mask_json(masked) is masked


def test_every_number_in_its_column_is_counted_and_the_others_stay() -> None:
    value: Any = {
        "columns": ["order", "rrn"],
        "data": [[f"1234567{row:04}", f"850228123{row:04}"] for row in range(40)],
    }
    masked = privacy.mask_json(value)
    assert [one for one, _ in masked["data"]] == [one for one, _ in value["data"]]
    assert {one for _, one in masked["data"]} == {"[KR_RRN]"}
    assert counted(value) == {"KR_RRN": 40}


def test_a_long_key_in_an_error_is_cut_between_words() -> None:
    with pytest.raises(ArgumentError) as caught:
        privacy.mask_json({"x" * 70 + NUMBER: object()})
    assert NUMBER[:4] not in str(caught.value)
    with pytest.raises(ArgumentError, match=r"value\['(word )+word…\] is no JSON value"):
        privacy.mask_json({"word " * 40: object()})
