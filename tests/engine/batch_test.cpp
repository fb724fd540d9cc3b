#include "engine/batch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <numeric>
#include <thread>

#include <unistd.h>

#include "engine/result_codec.h"
#include "reports/sample_results.h"

using namespace skinlint;
using namespace skinlint::test;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)  // GCC
constexpr bool sanitized = true;
#elif defined(__has_feature)  // Clang
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

namespace {

std::vector<BatchJob> numbered(std::size_t count) {
  std::vector<BatchJob> jobs;
  for (std::size_t i = 0; i < count; ++i)
    jobs.push_back({"file" + std::to_string(i), std::make_shared<const CheckConfig>()});
  return jobs;
}
FileResult named(const BatchJob& job) { return clean_result(job.path); }

struct Outcome {
  std::vector<FileResult> results;
  std::size_t done = 0;
};
Outcome run(const std::vector<BatchJob>& jobs, const BatchOptions& options,
            const CheckOne& check_one) {
  Outcome outcome;
  outcome.done = run_batch(jobs, options, check_one, [&](std::size_t index, FileResult&& result) {
    CHECK(index == outcome.results.size());
    outcome.results.push_back(std::move(result));
    return true;
  });
  return outcome;
}
BatchOptions in_processes(unsigned workers = 2) {
  BatchOptions options;
  options.workers = workers;
  options.isolation = Isolation::always;
  return options;
}

}  // namespace

TEST_CASE("results come in the order of the jobs, for any number of workers", "[engine]") {
  const std::vector<BatchJob> jobs = numbered(700);
  for (const unsigned workers : {1u, 2u, 5u}) {
    for (const bool isolated : {false, true}) {
      BatchOptions options = isolated ? in_processes(workers) : BatchOptions();
      options.workers = workers;
      const Outcome outcome = run(jobs, options, [](const BatchJob& job) {
        if (job.path.back() == '7') std::this_thread::sleep_for(std::chrono::microseconds(300));
        return named(job);
      });
      REQUIRE(outcome.done == jobs.size());
      for (std::size_t i = 0; i < jobs.size(); ++i) CHECK(outcome.results[i].path == jobs[i].path);
    }
  }
  CHECK(run({}, {}, named).done == 0);
}

TEST_CASE("the largest files start first, within a window and before all", "[engine]") {
  CHECK(batch_schedule({1, 3, 2, 3}) == std::vector<std::size_t>{1, 3, 2, 0});
  std::vector<std::uint64_t> sizes(600, 10);
  sizes[599] = std::uint64_t{1} << 30;
  sizes[10] = 20;
  const std::vector<std::size_t> order = batch_schedule(sizes);
  CHECK(order[0] == 599);
  CHECK(order[1] == 10);
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> all(600);
  std::iota(all.begin(), all.end(), std::size_t{0});
  CHECK(sorted == all);
}

TEST_CASE("a batch ends when its consumer or a stop says so", "[engine]") {
  const std::vector<BatchJob> jobs = numbered(50);
  for (const Isolation isolation : {Isolation::never, Isolation::always}) {
    BatchOptions options;
    options.workers = 2;
    options.isolation = isolation;
    CHECK(run_batch(jobs, options, named,
                    [](std::size_t index, FileResult&&) { return index < 9; }) == 10);
    std::atomic<bool> stop{false};
    options.stop = &stop;
    std::size_t told = 1000;
    options.on_stop = [&told](std::size_t done) { told = done; };
    const std::size_t done = run_batch(jobs, options, named, [&](std::size_t index, FileResult&&) {
      if (index == 4) stop = true;
      return true;
    });
    CHECK(done < jobs.size());
    CHECK(told == done);
  }
}

TEST_CASE("a crash, a hang and a memory blow-up cost one file each", "[engine]") {
  const std::vector<BatchJob> jobs = numbered(12);
  BatchOptions options = in_processes();
  options.timeout_s = 0.5;
  if (!sanitized) options.memory_limit_mib = 256;
  const Outcome outcome = run(jobs, options, [](const BatchJob& job) {
    if (job.path == "file2") std::raise(SIGSEGV);
    if (job.path == "file3") ::_exit(7);
    if (job.path == "file5") std::this_thread::sleep_for(std::chrono::seconds(60));
    if (job.path == "file8" && !sanitized) {
      FileResult result = clean_result(job.path);
      try {
        const std::vector<char> block(std::size_t{1} << 30, 'x');
        result.bytes = block.size();
      } catch (const std::bad_alloc&) {
        result.status = FileResult::Status::crashed;
      }
      return result;
    }
    return named(job);
  });
  REQUIRE(outcome.results.size() == jobs.size());
  using Status = FileResult::Status;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    INFO(i);
    CHECK(outcome.results[i].path == jobs[i].path);
    const Status expected = i == 2 || i == 3 || (i == 8 && !sanitized) ? Status::crashed
                            : i == 5                                   ? Status::timeout
                                                                       : Status::checked;
    CHECK(outcome.results[i].status == expected);
  }
  CHECK(outcome.results[2].error->message.find("SIGSEGV") != std::string::npos);
  CHECK(outcome.results[5].error->message.find("0.5 s") != std::string::npos);
}

TEST_CASE("a result survives its way through bytes", "[engine]") {
  for (const FileResult& result :
       {result_with_finding(), clean_result("a.glb"), unreadable_result(), hostile_result()}) {
    const std::string bytes = encode_result(result);
    const auto back = decode_result(bytes);
    REQUIRE(back.has_value());
    CHECK(encode_result(*back) == bytes);
    for (const char* format : {"json", "text"})
      CHECK(report_text(format, {*back}) == report_text(format, {result}));
  }
}

TEST_CASE("damaged bytes are no result", "[engine]") {
  const std::string bytes = encode_result(result_with_finding());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_result(std::string_view(bytes).substr(0, size)).has_value());
  CHECK_FALSE(decode_result(bytes + "x").has_value());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    decode_result(damaged);  // any answer, no crash
  }
}
