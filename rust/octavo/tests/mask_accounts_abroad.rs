//! International account numbers and addresses of machines: the layouts of countries, and what only passes by chance.

mod marked;

use marked::{check, mask_with, unchanged};
use octavo::mask::{KindSet, Options};

#[test]
fn accounts_of_many_countries() {
    check(
        "IBAN",
        &[
            "«DE89370400440532013000»",
            "«de89370400440532013000»",
            "«GB82WEST12345698765432»",
            "«GB82-WEST-1234-5698-7654-32»",
            "«FR1420041010050500013M02606»",
            "«NL91ABNA0417164300»",
            "«BE68539007547034»",
            "«EE382200221020145685»",
            "«CH9300762011623852957»",
            "«ES9121000418450200051332»",
            "«IT60X0542811101000000123456»",
            "«NO9386011117947»",
            "«PL61109010140000071219812874»",
            "«SE4550000000058398257466»",
            "«TR330006100519786457841326»",
            "«AE070331234567890123456»",
            "«SA0380000000608010167519»",
            "«MT84MALT011000012345MTLCAST001S»",
            "«BR1800360305000010009795493C1»",
            "«KZ86125KZT5004100100»",
            "\\n«DE89370400440532013000»",
            "iban=«DE89370400440532013000»",
            "/iban/«DE89370400440532013000»/x",
        ],
    );
}

#[test]
fn what_passes_the_check_by_chance_is_none() {
    unchanged(&[
        "d933f181-cb4f-4ea7-be6d-efa107d01741",
        "xlFp++kz4oas65qvVZdMJw84w7/Q",
        "GB82123412345698765432",
        "DE89370400440532013001",
    ]);
}

#[test]
fn addresses_of_machines_in_their_spellings() {
    let all = Options { kinds: KindSet::all(), ..Options::default() };
    for (text, wanted) in [
        ("mac 00-1A-2B-3C-4D-5E up", "mac [MAC_ADDRESS] up"),
        ("00-1a-2b-3c-4d-5e", "[MAC_ADDRESS]"),
        ("001A.2B3C.4D5E", "[MAC_ADDRESS]"),
        ("addr:2001:db8::1", "addr:[IP_ADDRESS]"),
        ("inet6 addr: 2001:db8::1/64", "inet6 addr: [IP_ADDRESS]/64"),
        ("00-1A-2B-3C-4D-5E-6F", "00-1A-2B-3C-4D-5E-6F"),
        ("20-12-34-56-78-90", "20-12-34-56-78-90"),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
        ("1234.5678.9012", "1234.5678.9012"),
    ] {
        assert_eq!(mask_with(text, &all), wanted);
    }
    unchanged(&["00-1A-2B-3C-4D-5E", "001A.2B3C.4D5E"]);
}
