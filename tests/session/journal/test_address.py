"""Addresses of databases: secrets never leave them."""

import pytest

from linkwise.errors import InvalidInput
from linkwise.session.journal.address import place, without_secrets

WITH_PASSWORD = [
    "postgresql://ann:s3cret@db.example/work",
    "postgres://ann:s3cret@db.example:5433/work?sslmode=require",
    "postgresql://ann@db.example/work?password=s3cret",
    "postgresql://db.example/work?user=ann&password=s3cret&sslpassword=s3cret",
    "postgresql://ann:s3cret%40s3cret@db.example/work",
    "host=db.example dbname=work user=ann password=s3cret",
    "host=db.example password = 's3cret s3cret' user=ann",
    "password=s3cret",
]


@pytest.mark.parametrize("address", WITH_PASSWORD)
def test_no_password_is_written_down(address):
    assert "s3cret" not in without_secrets(address)


@pytest.mark.parametrize("address", WITH_PASSWORD)
def test_the_place_stays_the_same(address):
    assert place(without_secrets(address)) == place(address)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:s3cret@db.example/work?s3cret",
        "postgresql://ann:s3cret@s3cret@db.example/work",
        "postgresql://ann:s3cret@db.example:notaport/work?x=y",
        "password=s3cret host",
        "mysql://ann:s3cret@db.example/work",
        "s3cret",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_being_repeated(address):
    with pytest.raises(InvalidInput) as refused:
        without_secrets(address)
    assert "s3cret" not in str(refused.value)
    assert str(refused.value).startswith("the address of the database")


def test_databases_differ_by_where_they_are_and_not_by_who_asks():
    assert place("postgresql://a@h/d") == place("postgresql://b:x@h/d?sslmode=require")
    assert place("postgresql://a@h/d") != place("postgresql://a@other/d")
    assert place("postgresql://a@h/d") != place("postgresql://a@h/other")
