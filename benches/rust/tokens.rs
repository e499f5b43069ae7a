//! Counting: hot, unseen pretokens, small messages, limits, and the worst inputs.
#![expect(clippy::unwrap_used, reason = "a bench may stop")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use octavo::tokens::{CountTokens, Encoding, StreamCounter};

const PROSE: &str = "The agent read the file, found 3 failing tests and didn't know why: see src/window.rs:42.\n";
const CODE: &str =
    "    fn end(text: &[u8], at: usize) -> usize {\n        text.len().min(at + 1) // never 0\n    }\n\n";
const KOREAN: &str = "에이전트가 파일을 읽고 실패한 테스트 세 개를 찾았지만 이유를 알지 못했습니다.\n";
const CHINESE: &str = "代理读取了文件，发现三个失败的测试，但不知道原因。";

fn hot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tokens/hot");
    for name in ["o200k_base", "cl100k_base"] {
        let encoding = Encoding::named(name).unwrap();
        for (label, unit) in [("prose", PROSE), ("code", CODE), ("korean", KOREAN), ("chinese", CHINESE)] {
            let text = unit.repeat(100_000 / unit.len());
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::new(name, label), &text, |bencher, text| {
                bencher.iter(|| encoding.count(black_box(text)));
            });
        }
    }
    group.finish();
}

/// Identifiers that were never seen before: every one is a miss of the cache.
fn unseen(criterion: &mut Criterion) {
    let encoding = Encoding::named("o200k_base").unwrap();
    let mut number = 0u64;
    criterion.bench_function("tokens/unseen/1000 identifiers", |bencher| {
        bencher.iter_batched(
            || {
                number += 1;
                let ids = (0..1_000u64).map(|at| (number * 1_000 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                ids.flat_map(|id| [letters(id), " ".into()]).collect::<String>()
            },
            |text| encoding.count(&text),
            criterion::BatchSize::SmallInput,
        );
    });
}

/// Twelve letters that a number determines.
fn letters(mut number: u64) -> String {
    let letter = |_| {
        let letter = char::from(b'a' + (number % 26).to_le_bytes()[0]);
        number /= 26;
        letter
    };
    (0..12).map(letter).collect()
}

fn limits(criterion: &mut Criterion) {
    let encoding = Encoding::named("o200k_base").unwrap();
    let text = PROSE.repeat(1_000);
    criterion.bench_function("tokens/count_up_to 200 of 90 kB", |bencher| {
        bencher.iter(|| encoding.count_up_to(black_box(&text), 200));
    });
    criterion.bench_function("tokens/truncate 200 of 90 kB", |bencher| {
        bencher.iter(|| encoding.truncate(black_box(&text), 200).len());
    });
    criterion.bench_function("tokens/stream of 1000 words", |bencher| {
        bencher.iter(|| {
            let mut stream = StreamCounter::new(encoding.clone());
            (0..1_000).for_each(|_| stream.push("word "));
            stream.total()
        });
    });
}

fn worst(criterion: &mut Criterion) {
    let encoding = Encoding::named("o200k_base").unwrap();
    let mut group = criterion.benchmark_group("tokens/1 MB of");
    group.sample_size(10);
    for run in ["a", " ", "\n", "-", "あ"] {
        let text = run.repeat(1_000_000 / run.len());
        group.bench_function(format!("{run:?}"), |bencher| bencher.iter(|| encoding.count(black_box(&text))));
    }
    group.finish();
}

criterion_group!(benches, hot, unseen, limits, worst);
criterion_main!(benches);
