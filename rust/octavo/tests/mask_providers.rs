//! Keys of providers, bare: their formats as the providers describe them.

mod marked;

use marked::{check, mask, unchanged};

/// Formats of providers, bare: no name stands before them.
#[test]
fn keys_of_more_providers() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef0123456789abcdef";
    for key in [
        format!("ATATT3xFfGF0{a40}{a40}=A1B2C3D4"),
        format!("ATBB{a20}k1L2m3N4o5P6"),
        format!("secret_{a40}k1L"),
        format!("pat-na1-{}", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"),
        "NRAK-A1B2C3D4E5F6G7H8I9J0K1L2M3N".to_owned(),
        format!("sl.{a40}{a40}"),
        format!("ABSK{a40}{a40}="),
        format!("AQ.Ab8{a40}"),
        format!("HRKU-AA{a40}"),
        format!("nfp_{a40}"),
        format!("vcp_{a40}"),
        format!("FlyV1 fm2_{a40}").split_off(6),
        format!("AKID{hex}"),
        format!("AQVN{a40}"),
        format!("ops_eyJ{a40}{a40}"),
        format!("tskey-auth-{a20}-{a40}"),
        format!("bkua_{hex}01234567"),
        format!("CCIPAT_{a20}_{hex}01234567"),
        format!("sgp_{hex}01234567"),
        format!("sqp_{hex}01234567"),
        format!("pul-{hex}01234567"),
        format!("phx_{a40}"),
        "re_a1B2c3D4_e5F6g7H8i9J0k1L2m3N4o5P6".to_owned(),
        format!("CFPAT-{a40}"),
        format!("e2b_{hex}01234567"),
        format!("jina_{hex}{a20}"),
        format!("csk-{hex}"),
        format!("fc-{hex}"),
        format!("sk_{hex}0123456789abcdef"),
        format!("live_sk_{a20}9T0"),
        format!("test_sk_{a20}9T0"),
        format!("tfp_{a40}"),
        format!("dt0c01.{a20}9T0.{hex}{hex}"),
        format!("aio_{}", "abCD12efGH34ijKL56mnOP78qrST"),
    ] {
        for text in [key.clone(), format!("키는 {key}입니다"), format!("\"{key}\"")] {
            let masked = mask(&text);
            assert!(masked.contains("[API_KEY]") || masked.contains("[GOOGLE_API_KEY]"), "{text} became {masked}");
            assert!(!masked.contains(key.get(key.len() - 8..).unwrap_or("?")), "{text} became {masked}");
        }
    }
    unchanged(&[
        "test_sk_learn_pipeline_01",
        "re_compile_pattern_with_flags_and_groups",
        "secret_name_of_the_database_user_number_1",
        "sk_test",
        "fc-cache-2.13.1",
        "pat-na1-",
        "live_sk_",
        "AKIDENTITY",
        "ABSKIP",
        "e2b_desktop_sandbox",
    ]);
}

/// The formats whose prefix has no separator, or whose mark stands inside, and the rest of the common providers.
#[test]
fn keys_of_still_more_providers() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef0123456789abcdef";
    let odd = "fedcba98fedcba98fedcba9876543210";
    for key in [
        format!("dapi{hex}"),
        format!("dapi{odd}-2"),
        format!("SK{odd}"),
        format!("AC{odd}"),
        format!("oy2{a40}abc"),
        format!("EAACEdEose0cBA{a40}{a40}"),
        format!("EAAAE{a40}{a20}"),
        format!("LTAI5t{a20}"),
        format!("AKCp8{a40}{a40}").chars().take(73).collect(),
        format!("cmVmdGtuOjAxOjE3{a40}{a20}"),
        format!("{odd}-us12"),
        "MTA4NTY3ODkwMTIzNDU2Nzg5.GaBcDe.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9".to_owned(),
        format!("patAbCdEf12345678.{hex}{odd}"),
        format!("aBcDeFgHiJkLmN.atlasv1.{a40}{a40}"),
        "aB38Q~a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7".to_owned(),
        format!("1//0g{a40}{a40}"),
        format!("ya29.{a40}"),
        format!("GOCSPX-{a40}").chars().take(35).collect(),
        format!("glrt-{a20}"),
        format!("glft-{a20}"),
        format!("glsoat-{a20}"),
        format!("GR1348941{a20}"),
        format!("shpat_{hex}"),
        format!("shpca_{hex}"),
        format!("shppa_{hex}"),
        format!("shpss_{hex}"),
        format!("sntrys_eyJpYXQiOjE2ODczMzY1NDMuNjk4NTksInVybCI6bnVsbH0=_{a40}"),
        format!("sntryu_{hex}{hex}"),
        format!("glc_eyJvIjoiMSIs{a40}"),
        format!("glsa_{a20}k1L2m3N4o5P6_6e819d39"),
        format!("eyJrIjoi{a40}{a40}"),
        format!("dop_v1_{hex}{hex}"),
        format!("fo1_{a40}"),
        format!("sbp_{hex}01234567"),
        format!("pscale_tkn_{a40}"),
        format!("pscale_pw_{a40}"),
        format!("pscale_oauth_{a40}"),
        format!("ntn_{a40}123456"),
        format!("lin_api_{a40}"),
        format!("lin_oauth_{hex}{hex}"),
        format!("figd_{a40}"),
        format!("PMAK-{}-{}", "0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01"),
        format!("dp.pt.{a40}abc"),
        format!("dp.st.dev.{a40}abc"),
        format!("dp.ct.{a40}abc"),
        format!("hvs.{a40}{a40}"),
        format!("hvb.{a40}{a40}"),
        format!("sk-or-v1-{hex}{hex}"),
        format!("gsk_{a40}0123456789ab"),
        format!("xai-{a40}{a40}"),
        format!("pplx-{a40}12345678"),
        format!("r8_{a40}").chars().take(40).collect(),
        format!("live_sk_{a20}9T0"),
        format!("test_gsk_{a20}9T0"),
        format!("ncp_iam_BPAMKR{a40}"),
        "A3-ABC123-DEF456-GHJ78-KLM90-NPQ12-RST34".to_owned(),
        format!("xoxe.xoxp-1-{a40}{a40}"),
        format!("napi_{a40}"),
        format!("dckr_oat_{a40}"),
        "123456789:AAH1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g".to_owned(),
        format!("key-{hex}"),
        format!("access_token$production$0123456789abcdef${hex}"),
        format!("https://hooks.slack.com/services/T0123ABCD/B0123ABCD/{a20}abcd"),
        format!("https://discord.com/api/webhooks/123456789012345678/{a40}{a20}abcdefgh"),
        format!(
            "https://x.webhook.office.com/webhookb2/550e8400-e29b-41d4-a716-446655440000@550e8400-e29b-41d4-a716-446655440000/IncomingWebhook/{hex}/550e8400-e29b-41d4-a716-446655440000"
        ),
        "https://hooks.zapier.com/hooks/catch/1234567/a1b2c3d/".to_owned(),
    ] {
        for text in [
            key.clone(),
            format!("키는 {key}입니다"),
            format!("\"{key}\""),
            format!("({key}), x"),
            format!("`{key}`\n"),
        ] {
            let masked = mask(&text);
            let known = ["[API_KEY]", "[GOOGLE_API_KEY]", "[GITLAB_TOKEN]", "[SLACK_TOKEN]"];
            assert!(known.iter().any(|kind| masked.contains(kind)), "{text} became {masked}");
            let tail = key.trim_end_matches('/');
            assert!(!masked.contains(tail.get(tail.len() - 6..).unwrap_or("?")), "{text} became {masked}");
        }
    }
}

#[test]
fn what_only_begins_like_a_key() {
    check("PRIVATE_KEY", &["«AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE»"]);
    unchanged(&[
        "dapi0123",
        "SKU12345678901234567890123456789012",
        "ACM0123456789abcdef0123456789abcdef0",
        "oy2k",
        "EAA1",
        "0123456789abcdef0123456789abcdef-us-east-1",
        "a.b.c.d.e1.f2",
        "1//0",
        "module.atlasv1.x",
        "A3-ABC123",
        "path/to/dapi_test_file_number_1",
        "com.example.GaBcDe.SomeClassNameThatIsVeryLong123",
    ]);
}

/// Formats that carry their provider's name or mark, and the tails of those that have a slash or a dash inside.
#[test]
fn keys_of_providers_in_newer_formats() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef0123456789abcdef";
    let uuid = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
    for key in [
        format!("access-production-{uuid}"),
        format!("access-sandbox-{uuid}"),
        "rzp_live_a1B2c3D4e5F6g7".to_owned(),
        "rzp_test_aBcDeFgHiJkLmN".to_owned(),
        format!("FLWSECK-{hex}-X"),
        format!("FLWSECK_TEST-{hex}-X"),
        format!("amzn.mws.{uuid}"),
        format!("v1.0-{}-{hex}{hex}{hex}{hex}0123456789abcdef01", "0123456789abcdef01234567"),
        format!("sha256~{a40}x-_"),
        format!("live_gsk_docs_{a20}k1L2"),
        format!("up_{a20}k1L2m3N4o5"),
        format!("apify_api_{a20}k1L2m3N4o5P6q7R8"),
        format!("pa-{a40}-k1"),
        format!("wandb_v1_{a20}k1L2m_{a40}"),
        format!("m0-{a40}"),
        format!("sk-let-{a40}{a20}"),
        "sk-helicone-a1b2c3d-e4f5g6h-i7j8k9l-m0n1o2p".to_owned(),
        format!("polar_oat_{a40}abc"),
        format!("key_{hex}{hex}"),
        format!("bb_live_{a20}-_k1L2m"),
        format!("snyk_uat.01234567.{a40}"),
        format!("ls__{hex}"),
        format!("{a40}k1L2m3N4o5P6JQQJ99BAACk1L2m3N4o5P6q7R8s9T0a1B2"),
        format!("pat{}.{hex}{hex}", "AbCdEf12345678"),
        format!("pat{}.fedcba98{hex}{}", "aBcDeFgHiJkLmN", "0123456789abcdef01234567"),
        format!("pk_12345678_{}", "ABCDEFGH1234IJKL5678MNOP9012QRST"),
        "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".to_owned(),
        format!("tgp_v1_{a40}-x_"),
        format!("NRII-{a20}_-{}_x", "a1B2c3D4"),
        format!("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{a40}/{a40}+{a20}"),
        format!("fio-u-{a40}_-{a20}"),
        format!("cio{a20}k1L2m3N4o5P6"),
        format!("hcaik_{a40}{}", "0123456789abcdefgh"),
        format!("mdb_sa_sk_{a40}"),
        format!("CCDB1_{a20}aB_{a40}"),
        format!("pdl_live_apikey_01gtgztp8f4kek3yd4g1wrksa3_{a20}aB_abc"),
        format!("vk1.a.{a40}-_{a40}"),
        format!("live_{hex}012"),
        format!("test_{hex}012"),
        format!("tk-us-{a40}-_abcdef"),
        format!("unkey_{a20}aB"),
        format!("duffel_test_{a40}-_"),
    ] {
        for text in
            [key.clone(), format!("키는 {key}입니다"), format!("\"{key}\""), format!("({key}), x"), format!("x={key};")]
        {
            let masked = mask(&text);
            assert_eq!(masked, text.replace(&key, "[API_KEY]"), "{text}");
        }
    }
    check("OPENAI_KEY", &[&format!("«sess-{a40}»")]);
    check("SECRET", &[&format!("Authorization: KakaoAK «{hex}»"), &format!("Authorization: SSWS «00{a40}»")]);
    check("API_KEY", &[&format!("-H '«KakaoAK {hex}»'")]);
    unchanged(&[
        "access-production-database-with-the-read-only-account",
        "v1.0-2024-05-21-release-candidate",
        "sha256~",
        "up_and_running_with_the_server_in_ten_minutes",
        "pa-rental-assistance-program-and-other-help-for-families-2024",
        "key_0123456789abcdef0123456789abcdef",
        "m0-1",
        "live_streaming_platform_2024",
        "test_0123456789",
        "pk_live_a1B2c3D4e5F6g7H8i9J0",
        "s_mmk",
        "amzn.mws.client",
        "bedrock-api-key",
        "vk1.a.b",
        "wandb_v1_xxxxx",
        "CIO and cio2024",
        "mdb_sa_sk_test",
    ]);
}
