//! Masking: text with nothing in it, text like that of agents, and text that is nearly a finding everywhere.
#![expect(clippy::unwrap_used, reason = "a bench may stop")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use octavo::mask::{Options, Stream, find};

const SIZE: usize = 1_000_000;

const PROSE: &str = "The agent read the file, found three failing tests and did not know why; so it asked the owner.\n";
const KOREAN: &str = "에이전트가 파일을 읽고 실패한 테스트 세 개를 찾았지만 이유를 알지 못했습니다.\n";
const CHINESE: &str = "代理读取了文件，发现三个失败的测试，但不知道原因。\n";
const JAPANESE: &str = "エージェントはファイルを読み、失敗したテストを三つ見つけたが、理由は分からなかった。\n";
const CODE: &str =
    "    fn end(text: &[u8], at: usize) -> usize {\n        text.len().min(at + 1) // never 0\n    }\n\n";
const JSON: &str = "{\"id\":\"to-a67c089a42\",\"created_at\":1716283456789,\"name\":\"list_files\",\"arguments\":{\"path\":\"src/mask.rs\",\"limit\":20}}\n";
const LOG: &str = "2026-05-21T10:20:30.123456Z INFO [worker-3] request id=550e8400-e29b-41d4-a716-446655440000 took 12.5 ms, 200 OK\n";
const PERSONAL: &str =
    "홍길동 850314-1065126, 010-1234-5678, kim@example.com, 국민은행 123456-04-123456 예금주 홍길동\n";

fn texts() -> Vec<(&'static str, String)> {
    let units = [
        ("prose", PROSE),
        ("korean", KOREAN),
        ("chinese", CHINESE),
        ("japanese", JAPANESE),
        ("code", CODE),
        ("json", JSON),
        ("log", LOG),
        ("personal", PERSONAL),
    ];
    let mixed: String = units.iter().take(7).map(|(_, unit)| unit.repeat(10)).collect();
    let repeated = |unit: &str| unit.repeat(SIZE / unit.len());
    let mut texts: Vec<(&'static str, String)> = units.iter().map(|&(name, unit)| (name, repeated(unit))).collect();
    texts.push(("mixed", repeated(&mixed)));
    texts
}

fn whole(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mask/find");
    for (name, text) in texts() {
        group.throughput(Throughput::Bytes(u64::try_from(text.len()).unwrap()));
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |bencher, text| {
            bencher.iter(|| find(black_box(text), &Options::default()));
        });
    }
    group.finish();
}

fn stream(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mask/stream");
    let (_, text) = texts().pop().unwrap();
    let characters: Vec<char> = text.chars().take(100_000).collect();
    for size in [4, 1_000] {
        let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
        group.throughput(Throughput::Bytes(u64::try_from(pieces.iter().map(String::len).sum::<usize>()).unwrap()));
        group.bench_with_input(BenchmarkId::from_parameter(size), &pieces, |bencher, pieces| {
            bencher.iter(|| {
                let mut stream = Stream::new(Options::default());
                let given: usize = pieces.iter().map(|piece| stream.push(piece).len()).sum();
                given + stream.finish().len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, whole, stream);
criterion_main!(benches);
