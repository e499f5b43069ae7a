//! Private keys in every wrapping: PEM, strings, lists, tails, other programs.

mod marked;

use marked::mask;

#[test]
fn private_keys() {
    let body = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCDEFGH\nyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\nAbc0==";
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        let block = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----");
        assert_eq!(mask(&format!("열쇠 <{block}> 끝")), "열쇠 <[PRIVATE_KEY]> 끝");
        let escaped = block.replace('\n', "\\n");
        assert_eq!(mask(&format!("{{\"k\": \"{escaped}\\n\"}}")), "{\"k\": \"[PRIVATE_KEY]\\n\"}");
        let cut = format!("-----BEGIN {label}-----\n{body}");
        assert_eq!(mask(&cut), "[PRIVATE_KEY]");
        assert_eq!(mask(&format!("{cut}\n그 다음 줄")), "[PRIVATE_KEY]\n그 다음 줄");
    }
    let pgp = format!(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{body}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----"
    );
    assert_eq!(mask(&pgp), "[PRIVATE_KEY]");
    let headed =
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{body}");
    assert_eq!(mask(&headed), "[PRIVATE_KEY]");
    let public = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----");
    assert_eq!(mask(&public), public);
    let prose = "a key begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----";
    assert_eq!(mask(prose), prose);
}

/// Notebooks keep a text as a list of its lines.
#[test]
fn a_key_as_a_list_of_lines() {
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD";
    let list = |end: &str| {
        format!(
            "{{\"source\": [\"-----BEGIN RSA PRIVATE KEY-----\\n\", \"{line}\\n\",\n  \"{line}\\n\", \"Ab0=\\n\"{end}], \"x\": \"y\"}}"
        )
    };
    let whole = list(", \"-----END RSA PRIVATE KEY-----\\n\"");
    assert_eq!(mask(&whole), "{\"source\": [\"[PRIVATE_KEY]\\n\"], \"x\": \"y\"}");
    assert_eq!(mask(&list("")), "{\"source\": [\"[PRIVATE_KEY]\\n\"], \"x\": \"y\"}");
    let named = format!("{{\"a\": \"-----BEGIN RSA PRIVATE KEY-----\\n{line}\", \"{line}\": 1}}");
    assert_eq!(mask(&named), format!("{{\"a\": \"[PRIVATE_KEY]\", \"{line}\": 1}}"));
    let other = format!("{{\"a\": \"-----BEGIN RSA PRIVATE KEY-----\\n{line}\", \"b\": \"kept\", \"c\": 1}}");
    assert_eq!(mask(&other), "{\"a\": \"[PRIVATE_KEY]\", \"b\": \"kept\", \"c\": 1}");
}

#[test]
fn a_private_key_never_goes_on_into_a_name() {
    let text = r#"{"a":"-----BEGIN RSA PRIVATE KEY-----\n4111111111111111","-----END RSA PRIVATE KEY-----":["",1]}"#;
    assert!(serde_json::from_str::<serde_json::Value>(&mask(text)).is_ok(), "{}", mask(text));
}

/// What `tail` prints, and what is left of a key whose beginning was cut off.
#[test]
fn the_tail_of_a_private_key() {
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxx/yzzxxyyzz0123456789abc+efghijABCD";
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
        let tail = format!("{line}\n{line}\n{line}\nAb0=\n-----END {label}-----");
        assert_eq!(mask(&format!("$ tail -5 key\n{tail}\nok")), "$ tail -5 key\n[PRIVATE_KEY]\nok");
        assert_eq!(mask(&format!("{tail}\nok")), "[PRIVATE_KEY]\nok");
        assert_eq!(mask(&format!("$ tail key\n{}", tail.replace('\n', "\r\n"))), "$ tail key\n[PRIVATE_KEY]");
        let escaped = tail.replace('\n', "\\n");
        assert_eq!(
            mask(&format!("{{\"out\": \"$ tail k\\n{escaped}\\n\"}}")),
            "{\"out\": \"$ tail k\\n[PRIVATE_KEY]\\n\"}"
        );
        assert_eq!(mask(&format!("{{\"out\": \"{escaped}\\n\"}}")), "{\"out\": \"[PRIVATE_KEY]\\n\"}");
    }
    let public = format!("$ tail\n{line}\n{line}\n-----END CERTIFICATE-----");
    assert_eq!(mask(&public), public);
    let blob = format!("a\n{line}\n{line}\n{line}\nend");
    assert_eq!(mask(&blob), blob);
}

#[test]
fn private_keys_of_other_programs() {
    let line = "AAAAgQCxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCDEFGHAAAAgQ";
    let ppk = |lines: &str| {
        format!(
            "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: kim\nPublic-Lines: 1\n{line}\nPrivate-Lines: 2\n{lines}\nPrivate-MAC: x\n"
        )
    };
    assert_eq!(mask(&ppk(&format!("{line}\nAb01=="))), ppk("[PRIVATE_KEY]"));
    let ssh2 = format!(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"kim\"\n{line}\n{line}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    );
    assert_eq!(mask(&format!("a {ssh2} b")), "a [PRIVATE_KEY] b");
    let between = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n2026-05-21 10:20:30 [ERROR] retry in 5 s: {{a}}\n{line}\nAb0=\n-----END RSA PRIVATE KEY-----"
    );
    assert_eq!(mask(&format!("a {between} b")), "a [PRIVATE_KEY] b");
}

#[test]
fn the_line_that_a_text_was_cut_in_goes_with_the_key() {
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt";
    let begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
    assert_eq!(mask(&format!("a {begin}\n{line}\nyyyyyyyyyyyyy")), "a [PRIVATE_KEY]");
    assert_eq!(mask(&format!("a {begin}\n{line}\nThanks\n")), "a [PRIVATE_KEY]\nThanks\n");
}
