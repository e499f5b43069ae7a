//! Numbers in the columns of tables, whose head stands rows before them.

mod marked;
mod timing;

use marked::mask;
use octavo::mask::{Options, Stream};
use timing::{PATIENCE, assert_grows_with_size};

/// Resident numbers without a check digit, accounts, and licences: nothing but a word says what they are.
const ROWS: usize = 60;

fn rrn(row: usize) -> String {
    // The check digit would be right in one of ten, so it is made wrong.
    let number =
        format!("{:02}{:02}{:02}{}{:05}", 50 + row % 49, 1 + row % 12, 1 + row % 28, 1 + row % 2, row * 7 + 11);
    let weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
    let sum: usize = number.bytes().zip(weights).map(|(digit, weight)| usize::from(digit - b'0') * weight).sum();
    format!("{number}{}", ((11 - sum % 11) % 10 + 3) % 10)
}

fn account(row: usize) -> String {
    format!("352{:08}", row * 977 + 13)
}

/// A table of `ROWS` rows is masked in both columns from the first row to the last, also in pieces and twice.
fn check_table(head: &str, row: impl Fn(&str, &str, usize) -> String, end: &str) {
    let table = |rrn: &dyn Fn(usize) -> String, account: &dyn Fn(usize) -> String| {
        let rows: String = (0..ROWS).map(|at| row(&rrn(at), &account(at), at)).collect();
        format!("{head}{rows}{end}")
    };
    let text = table(&rrn, &account);
    let wanted = table(&|_| "[KR_RRN]".to_owned(), &|_| "[KR_BANK_ACCOUNT]".to_owned());
    let masked = mask(&text);
    let differ = masked.bytes().zip(wanted.bytes()).position(|(got, wanted)| got != wanted);
    let around = differ.map(|at| String::from_utf8_lossy(masked.as_bytes().get(at - 10..at + 60).unwrap_or_default()));
    assert!(masked == wanted, "{head:?}: {differ:?} {around:?}");
    assert!(mask(&masked) == masked, "{head:?} twice");
    assert!(in_pieces(&text) == masked, "{head:?} in pieces");
}

fn in_pieces(text: &str) -> String {
    let mut stream = Stream::new(Options::default());
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let given: String = letters.chunks(7).map(|chunk| stream.push(&chunk.concat())).collect();
    given + &stream.finish()
}

#[test]
fn csv_and_its_kin() {
    for joint in [",", "\t", ";", " | ", ", ", "    "] {
        let line = |cells: &[&str]| cells.join(joint) + "\n";
        let row = |rrn: &str, account: &str, at: usize| line(&["홍길동", rrn, account, &format!("{at}")]);
        check_table(&line(&["이름", "주민등록번호", "계좌번호", "순번"]), row, "");
        check_table(&line(&["name", "rrn", "account_no", "page"]), row, "");
    }
    let quoted = |rrn: &str, account: &str, _: usize| format!("\"홍, 길동\",\"{rrn}\",\"{account}\"\r\n");
    check_table("\"이름\",\"주민번호\",\"계좌\"\r\n", quoted, "");
}

#[test]
fn markdown_and_what_databases_print() {
    let row = |rrn: &str, account: &str, _: usize| format!("| 홍길동 | {rrn} | {account} |\n");
    check_table("| 이름 | 주민번호 | 계좌 |\n|---|:---:|---|\n", row, "");
    check_table("| **이름** | **주민번호** | **계좌** |\n|---|---|---|\n", row, "\nend\n");
    let rule = "+--------+---------------+-------------+\n";
    check_table(&format!("{rule}| name   | jumin         | account no  |\n{rule}"), row, rule);
    let plain = |rrn: &str, account: &str, at: usize| format!(" {at} | {rrn} | {account}\n");
    check_table(" id | rrn | 계좌\n----+-----+------\n", plain, "(60 rows)\n");
    let boxed = |rrn: &str, account: &str, _: usize| format!("│ 홍길동 │ {rrn} │ {account} │\n");
    check_table("┌────┬────┬────┐\n│ 이름 │ 주민번호 │ 계좌 │\n├────┼────┼────┤\n", boxed, "└────┴────┴────┘\n");
}

#[test]
fn rows_in_brackets() {
    let row = |rrn: &str, account: &str, _: usize| format!("('홍길동', '{rrn}', '{account}'),\n");
    check_table("INSERT INTO member (name, jumin, account_no) VALUES\n", row, ";\n");
    let side_by_side = |rrn: &str, account: &str, _: usize| format!("('홍', '{rrn}', '{account}'),");
    check_table("INSERT INTO `member` (`name`, `jumin`, `account_no`) VALUES ", side_by_side, "('x', '', '');");
    let json = |rrn: &str, account: &str, _: usize| format!("[\"홍\",\"{rrn}\",\"{account}\"],");
    check_table(r#"{"columns":["name","rrn","계좌"],"data":["#, json, r#"["","",""]]}"#);
    check_table(r#"{"columns":["name","rrn","계좌"],"index":[0,1,2],"data":["#, json, r#"["","",""]]}"#);
    check_table(r#"[["name","rrn","계좌"],"#, json, r#"["","",""]]"#);
    let indented = |rrn: &str, account: &str, _: usize| {
        format!("    [\n      \"홍\",\n      \"{rrn}\",\n      \"{account}\"\n    ],\n")
    };
    check_table("{\n  \"columns\": [\n    \"name\",\n    \"rrn\",\n    \"계좌\"\n  ],\n  \"data\": [\n", indented, "");
}

#[test]
fn data_frames() {
    let row = |rrn: &str, account: &str, at: usize| format!("{at:<4}  홍길동  {rrn}  {account}\n");
    check_table("       name            rrn   account_no\n", row, "");
    let row = |rrn: &str, account: &str, _: usize| format!("홍길동  {rrn}  {account}\n");
    check_table("name  rrn             account_no\n", row, "");
}

#[test]
fn tables_in_strings() {
    let row = |rrn: &str, account: &str, _: usize| format!("홍길동,{rrn},{account}\\n");
    check_table("{\"output\": \"이름,주민번호,계좌\\n", row, "\"}");
    let row = |rrn: &str, account: &str, _: usize| format!("홍길동\\t{rrn}\\t{account}\\n");
    check_table("{\"output\": \"이름\\t주민번호\\t계좌\\n", row, "\"}");
    let row = |rrn: &str, account: &str, _: usize| format!("\\\"홍길동\\\",\\\"{rrn}\\\",\\\"{account}\\\"\\n");
    check_table("{\"output\": \"이름,주민번호,계좌\\n", row, "\"}");
}

#[test]
fn one_column_and_lists_with_a_name() {
    let text: String = std::iter::once("계좌번호\n".to_owned()).chain((0..ROWS).map(|at| account(at) + "\n")).collect();
    assert_eq!(mask(&text), format!("계좌번호\n{}", "[KR_BANK_ACCOUNT]\n".repeat(ROWS)));
    let list = (0..ROWS).map(|at| format!("\"{}\"", account(at))).collect::<Vec<_>>();
    for (head, joint) in [("{\"accountNumbers\": [", ", "), ("계좌번호 = [\n    ", ",\n    ")] {
        let wanted = vec!["\"[KR_BANK_ACCOUNT]\""; ROWS].join(joint);
        let text = format!("{head}{}]", list.join(joint));
        assert_eq!(mask(&text), format!("{head}{wanted}]"));
        assert_eq!(in_pieces(&text), format!("{head}{wanted}]"));
    }
}

#[test]
fn a_column_of_something_else_stays() {
    let rows = |head: &str| {
        let rows = (0..ROWS).map(|at| format!("{},{},{}\n", rrn(at), account(at), 1_716_283_456_789_u64 + at as u64));
        format!("{head}\n{}", rows.collect::<String>())
    };
    for head in ["order_no,sku,created_at", "주문번호,품번,일시", "a,b,c", "1,2,3"] {
        let text = rows(head);
        assert_eq!(mask(&text), text, "{head}");
    }
    let kept = mask(&rows("주문번호,계좌번호,일시"));
    assert_eq!(kept.matches("[KR_BANK_ACCOUNT]").count(), ROWS);
    assert_eq!(kept.matches("[KR_").count(), ROWS);
    // The table has ended, or was none.
    for text in ["이름,계좌번호\n홍,길동\n\n1,35212345678,\n", "계좌,이름 모두\n아니오\nsku,35212345678\n"]
    {
        let padded = text.replacen('\n', &format!("\n{}", "a,b\n".repeat(8)), 1);
        assert_eq!(mask(&padded), padded);
    }
}

#[test]
fn a_table_costs_what_its_text_costs() {
    let table = |rows: usize| -> String {
        std::iter::once("a,b,계좌\n".to_owned())
            .chain((0..rows).map(|at| format!("x,{},{}\n", 1_716_283_456_789_usize + at, account(at))))
            .collect()
    };
    let whole = |text: &String| assert!(mask(text).contains("[KR_BANK_ACCOUNT]"));
    assert_grows_with_size("rows of a table", 2_000, table, whole, PATIENCE);
    // One line without an end.
    let list = |items: usize| format!("계좌: [{}0]", "35212345678,".repeat(items));
    assert_grows_with_size("items of a list", 2_000, list, whole, PATIENCE);
}
