"""What columns are for is told before a session is built, and can be changed."""

import pytest
from PIL import Image
from service_client import wait_for

TICKETS = "ticket,message,channel,zip\n" + "".join(
    f"T{k},the {'parcel' if k % 2 else 'password'} number {k} is lost,{'mail' if k % 3 else ''},"
    f"0{1 + k % 2}\n"
    for k in range(20)
)


def make(client, source, columns=None):
    wanted = {"name": "x", "n_clusters": 2, "source": source, "columns": columns}
    reply = client.post("/api/sessions", json=wanted)
    if reply.status_code != 202:
        return reply
    return wait_for(client, reply.json()["job"])


def test_a_file_of_the_folder_is_described_before_it_is_used(client, data_folder):
    (data_folder / "tickets.csv").write_text(TICKETS)
    found = client.get("/api/files/description", params={"file": "tickets.csv"}).json()
    assert (found["name"], found["kind"], found["n_rows"]) == ("tickets.csv", "table", 20)
    assert {column["name"]: (column["role"], column["reason"]) for column in found["columns"]} == {
        "ticket": ("id", "no two rows share a value"),
        "message": ("text", "text of 6 words on average"),
        "channel": ("category", "1 different value"),
        "zip": ("number", "whole numbers"),
    }
    assert found["guess"]["text"] == "message"


def test_roles_that_are_told_are_used(client, data_folder):
    (data_folder / "tickets.csv").write_text(TICKETS)
    columns = {"id": "ticket", "features": ["zip", "message"], "roles": {"zip": "category"}}
    over = make(client, {"file": "tickets.csv"}, columns)
    about = client.get(f"/api/sessions/{over['result']['session']}").json()
    assert about["grouped_by"] == "zip (category) and message (text)"
    assert about["has_text"] is True


TOWNS = "город,x\n" + "".join(
    f"{('Тверь', 'Москва')[k % 2]},{k % 2 * 9 + k / 8}\n" for k in range(16)
)


@pytest.mark.parametrize("sent", [True, False], ids=["uploaded", "in the folder"])
def test_the_encoding_of_a_file_can_be_told(client, data_folder, sent):
    def described(**told):
        if not sent:
            return client.get("/api/files/description", params={"file": "towns.csv", **told})
        params = {"name": "towns.csv", **told}
        return client.post("/api/uploads", params=params, content=TOWNS.encode("koi8-r"))

    (data_folder / "towns.csv").write_bytes(TOWNS.encode("koi8-r"))
    guessed = described().json()
    assert guessed["encoding"] == "cp1252"
    assert guessed["columns"][0]["name"] != "город"
    found = described(encoding="koi8-r").json()
    assert found["encoding"] == "koi8-r"
    assert found["columns"][0]["examples"] == ["Тверь", "Москва", "Тверь"]
    assert described(encoding="klingon").json()["error"].startswith("'klingon' is not an encoding.")
    assert described(encoding="../x").status_code in (400, 422)
    source = {"upload": found["upload"]} if sent else {"file": "towns.csv"}
    over = make(client, source, {"features": ["город", "x"], "encoding": "koi8-r"})
    session = over["result"]["session"]
    about = client.get(f"/api/sessions/{session}").json()
    assert about["grouped_by"] == "x (number) and город (category)"
    assert (
        client.get(f"/api/sessions/{session}/rows?rows=1").json()[0]["fields"]["город"] == "Москва"
    )


@pytest.mark.parametrize("roles", [{"zip": "prose"}, {"": "text"}, ["zip"]])
def test_roles_that_are_none_are_refused(client, roles):
    assert make(client, {"file": "people.csv"}, {"roles": roles}).status_code in (400, 422)


def test_a_role_of_no_column_fails_with_a_sentence(client):
    over = make(client, {"file": "people.csv"}, {"roles": {"nmae": "text"}})
    assert over["error"] == (
        'people.csv has no column "nmae". Did you mean "name"? It has name, height, weight.'
    )


def test_a_folder_of_pictures_is_listed_described_and_used(client, data_folder):
    (data_folder / "photos").mkdir()
    for k in range(6):
        Image.new("RGB", (9, 9), (40 * k, 0, 200)).save(data_folder / "photos" / f"{k}.png")
    assert "photos/" in client.get("/api/files").json()
    found = client.get("/api/files/description", params={"file": "photos/"}).json()
    assert (found["n_rows"], found["guess"]["image"]) == (6, "file")
    over = make(client, {"file": "photos/"})
    place = f"/api/sessions/{over['result']['session']}"
    assert client.get(f"{place}/rows/3/image").headers["content-type"] == "image/png"


@pytest.mark.parametrize("name", ["../", "/", "photos", "more/../../", "gone/", "people.csv/"])
def test_other_folders_are_not_found(client, name):
    reply = client.get("/api/files/description", params={"file": name})
    assert reply.status_code in (404, 422)


def test_a_file_that_cannot_be_read_is_refused_with_its_sentence(client, data_folder):
    (data_folder / "bad.csv").write_text("a,b\n1\n")
    reply = client.get("/api/files/description", params={"file": "bad.csv"})
    assert reply.status_code == 422
    assert reply.json() == {"error": "bad.csv line 2: 1 value for 2 columns."}
