"""`Masked[str]` in Pydantic models, and that Octavo does not import Pydantic for it."""

import datetime as dt
import json
import subprocess
import sys
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from octavo.privacy import Masked, Masker
from personal_texts import CARD, EMAIL, PHONE, RRN


class Note(BaseModel):
    text: Masked[str]
    tags: Masked[list[str]] = []
    facts: Masked[dict[str, list[str]]] = {}
    maybe: Masked[str | None] = None
    short: Annotated[Masked[str], Field(max_length=20)] = ""
    raw: str = ""


class Page(BaseModel):
    notes: dict[str, list[Note]]


def test_a_text_is_masked_when_it_is_validated() -> None:
    note = Note(text=f"call {PHONE}", tags=[EMAIL, "x"], facts={EMAIL: [RRN]}, maybe=RRN, raw=PHONE)
    assert note.text == "call [KR_PHONE]"
    assert note.tags == ["[EMAIL]", "x"]
    assert note.facts == {"[EMAIL]": ["[KR_RRN]"]}
    assert note.maybe == "[KR_RRN]"
    assert note.raw == PHONE, "other fields are left alone"
    assert Note(text="x").maybe is None


def test_nested_models_and_json_are_masked() -> None:
    page = Page.model_validate_json(json.dumps({"notes": {"a": [{"text": RRN}]}}))
    assert page.notes["a"][0].text == "[KR_RRN]"
    assert json.loads(page.model_dump_json())["notes"]["a"][0]["text"] == "[KR_RRN]"
    assert Page.model_validate(page.model_dump()) == page


def test_json_schema_is_that_of_the_type_inside() -> None:
    class Plain(BaseModel):
        text: str
        tags: list[str]

    class Hidden(BaseModel):
        text: Masked[str]
        tags: Masked[list[str]]

    plain, hidden = (model.model_json_schema()["properties"] for model in (Plain, Hidden))
    assert plain == hidden
    assert hidden["text"]["type"] == "string"


def test_a_masker_of_one_s_own_stands_in_an_annotation() -> None:
    adapter: TypeAdapter[str] = TypeAdapter(Annotated[str, Masker(kinds=["CREDIT_CARD"])])
    assert adapter.validate_python(f"{CARD} {EMAIL}") == f"[CREDIT_CARD] {EMAIL}"
    assert adapter.json_schema() == {"type": "string"}


def test_what_is_no_text_is_refused_as_ever() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        Note.model_validate({"text": 7})
    with pytest.raises(ValidationError, match="at most 20"):
        Note(text="x", short="y" * 21)
    assert Note(text="x", short=f"{RRN}가나다라마바").short == "[KR_RRN]가나다라마바", (
        "the mask is measured or the text"
    )


def test_pydantic_is_not_imported() -> None:
    probe = "import sys, octavo; octavo.privacy.Masked[str]; sys.exit('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", probe], check=False)
    assert done.returncode == 0


def test_without_pydantic_it_is_an_annotation() -> None:
    annotated: Any = Masked[str]
    assert annotated.__origin__ is str
    assert isinstance(annotated.__metadata__[0], Masker)


def test_a_field_is_read_in_the_light_of_its_name() -> None:
    class Login(BaseModel):
        password: Masked[str]
        passwords: dict[str, Masked[str]] = {}
        note: Masked[str] = ""

    secret = "hunter2Zq9xK"  # noqa: S105 - invented
    login = Login(password=secret, note=secret)
    assert (login.password, login.note) == ("[SECRET]", secret)
    assert Login.model_validate(login.model_dump()) == login
    assert Login.model_validate_json(json.dumps({"password": secret})).password.startswith("[SECRET")
    assert TypeAdapter(Masked[str]).validate_python(secret) == secret


class Loose(BaseModel):
    number: Masked[int] = 0
    ratio: Masked[float] = 0
    numbers: Masked[dict[str, list[int]]] = {}
    either: Masked[int | str] = 0
    anything: Masked[Any] = 0
    facts: Masked[dict[str, Any]] = {}


@pytest.mark.parametrize(
    "fields", [{"number": int(CARD)}, {"ratio": float(CARD)}, {"numbers": {"a": [1, int(CARD)]}}], ids=str
)
def test_a_number_that_must_be_masked_does_not_fit_a_field_of_numbers(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="becomes a text, which does not fit"):
        Loose(**fields)


def test_other_numbers_and_wider_types_fit() -> None:
    loose = Loose(number=7, ratio=0.5, numbers={"a": [1]}, either=int(CARD), anything=int(CARD), facts={"a": int(CARD)})
    assert (loose.number, loose.ratio, loose.numbers) == (7, 0.5, {"a": [1]})
    assert loose.either == loose.anything == loose.facts["a"] == "[CREDIT_CARD]"


NO_JSON: list[tuple[TypeAdapter[Any], Any]] = [
    (TypeAdapter(Masked[bytes]), RRN.encode()),
    (TypeAdapter(Masked[dict[str, Note]]), {"a": {"text": "x"}}),
    (TypeAdapter(Masked[dt.date]), "2026-05-21"),
]


@pytest.mark.parametrize(("adapter", "value"), NO_JSON, ids=["bytes", "model", "date"])
def test_what_is_no_json_is_an_error_of_validation(adapter: TypeAdapter[Any], value: Any) -> None:
    with pytest.raises(ValidationError, match="only JSON values can be masked"):
        adapter.validate_python(value)


def test_an_error_of_validation_hides_its_input_where_that_is_asked_for() -> None:
    class Hidden(BaseModel):
        model_config = {"hide_input_in_errors": True}
        raw: Masked[bytes]
        number: Masked[int]

    with pytest.raises(ValidationError) as caught:
        Hidden(raw=RRN.encode(), number=int(CARD))
    assert RRN not in str(caught.value)
    assert CARD not in str(caught.value)
