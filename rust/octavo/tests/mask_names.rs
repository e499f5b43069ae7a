//! The names of fields say what a value is, however their words are joined.

mod marked;

use marked::{check, unchanged};

#[test]
fn names_in_humps_and_underscores_give_context() {
    check(
        "KR_BANK_ACCOUNT",
        &[
            "{\"accountNumber\":\"«110123456789»\"}",
            "{\"account_number\":\"«110123456789»\"}",
            "{\"bankAccount\": \"«12345678901234»\"}",
            "{\"userBankAccountNumber\":\"«110123456789»\"}",
            "{\"account\":\"«110123456789»\"}",
            "account_no=«110123456789»",
            "ACCOUNT_NUMBER=«110123456789»",
            "account-number: «110123456789»",
        ],
    );
    check(
        "KR_PHONE",
        &["{\"phoneNumber\":\"«0212345678»\"}", "{\"telNo\":\"«0212345678»\"}", "{\"userPhone\":\"«0212345678»\"}"],
    );
    check("CREDIT_CARD", &["{\"cardNumber\":\"«30569309025904»\"}", "{\"newCard\":\"«30569309025904»\"}"]);
    check("KR_PASSPORT", &["{\"passportNo\":\"«M12345678»\"}", "PassportNumber: «M12345678»"]);
    check("KR_DRIVER_LICENSE", &["{\"driverLicense\":\"«111212345678»\"}", "driver_license_no=«111212345678»"]);
    check(
        "KR_RRN",
        &[
            "{\"juminNo\":\"«8502281234561»\"}",
            "{\"residentNumber\":\"«8502281234561»\"}",
            "{\"resident_registration_number\":\"«8502281234561»\"}",
            "{\"residentRegistrationNumber\": \"«8502281234561»\"}",
            "{\\\"juminNo\\\":\\\"«8502281234561»\\\"}",
            "\\nrrn «8502281234561»",
        ],
    );
}

#[test]
fn letters_inside_a_word_give_none() {
    unchanged(&[
        "{\"discard\":\"30569309025904\"}",
        "{\"discardNumber\":\"30569309025904\"}",
        "{\"hotelNo\":\"0212345678\"}",
        "{\"accounting_number\":\"110123456789\"}",
        "{\"Account\": \"123456789012\"}",
        "{\"account_id\": 998877665544}",
    ]);
}

#[test]
fn letters_in_parts_are_read_as_whole_ones() {
    // 주민번호, 계좌, 비밀번호, 한국 and パスワード, as macOS writes them.
    let resident = "\u{110C}\u{116E}\u{1106}\u{1175}\u{11AB}\u{1107}\u{1165}\u{11AB}\u{1112}\u{1169}";
    let account = "\u{1100}\u{1168}\u{110C}\u{116A}";
    let password = "\u{1107}\u{1175}\u{1106}\u{1175}\u{11AF}\u{1107}\u{1165}\u{11AB}\u{1112}\u{1169}";
    let country = "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}";
    check("KR_RRN", &[&format!("{resident} «8502281234567»"), &format!("{{\"{resident}\": \"«8502281234567»\"}}")]);
    check("KR_BANK_ACCOUNT", &[&format!("{account} «110123456789»")]);
    check("SECRET", &[&format!("{password}: «hunter2Zq9xK»"), "ハ\u{309A}スワート\u{3099}: «hunter2Zq9xK»"]);
    check("EMAIL", &[&format!("«kim@example.{country}»"), &format!("«{country}@example.com», {country}")]);
    unchanged(&[&format!("{resident} {account} {password} {country}")]);
}

#[test]
fn a_directory_is_no_password() {
    unchanged(&[
        "PWD=/srv/app/main",
        "OLDPWD=/root",
        "export PWD='/home/kim/project'",
        "\"PWD\": \"/app\"",
        "pwd=~/src",
    ]);
}

/// Names with a remark, of whom they are, and of devices and clusters.
#[test]
fn names_as_people_and_programs_write_them() {
    check(
        "SECRET",
        &[
            "Password (prod): «hunter2Zq9xK»",
            "API Key (prod): «a1B2c3D4e5F6g7H8»",
            "Password for kim: «hunter2Zq9xK»",
            "[Note] A temporary password is generated for root@localhost: «a=4XzbT1yPqU»",
            "P/W: «hunter2Zq9xK»",
            "user: kim pass: «hunter2Zq9xK»",
            "login: kim / pass: «hunter2Zq9xK»",
            "비밀번호 변경: «hunter2Zq9xK»",
            "비밀번호 입력: «hunter2Zq9xK»",
            "AWS Secret Access Key [None]: «wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEY1»",
            "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB»",
            "  tls.key: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB»",
            "Mật khẩu: «hunter2Zq»",
            "PresharedKey = «FpCyhws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE=»",
        ],
    );
    unchanged(&[
        "비밀번호 변경: 2026-05-21",
        "비밀번호 변경 시각: 12:30",
        "def password(self): x1",
        "password for user1",
        "--- pass: test_abc1",
        "[Note] A temporary file is generated for root@localhost: a=4XzbT1yPqU",
    ]);
}
