package fairgate.platform.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.kernel.ServiceUnavailable;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class PeriodicJobTest {
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
  private final AtomicInteger passes = new AtomicInteger();

  @Test
  void passesFollowEachOtherUntilTheJobIsClosed() {
    PeriodicJob job =
        new PeriodicJob("test", PAUSE, passes::incrementAndGet).withStopTimeout(STOP_TIMEOUT);
    job.start();
    Eventually.await(() -> passes.get() >= 3);
    job.close();
    int atEnd = passes.get();
    job.close();
    assertThat(passes).hasValue(atEnd);
    assertThat(job.isStopping()).isTrue();
  }

  /// The pool of PostgreSQL leaves connections to requests, see `PostgresDatabase`.
  @Test
  void passesAreBackgroundWorkAlsoInTheirParts() {
    AtomicInteger ofRequests = new AtomicInteger();
    Runnable count =
        () -> {
          if (!BlockingWork.isBackground()) {
            ofRequests.incrementAndGet();
          }
        };
    try (PeriodicJob job =
        new PeriodicJob(
            "test",
            PAUSE,
            () -> {
              count.run();
              BlockingWork.forEach("part", List.of(1, 2), _ -> count.run());
              passes.incrementAndGet();
            })) {
      job.start();
      Eventually.await(() -> passes.get() >= 1);
    }
    assertThat(ofRequests).hasValue(0);
    assertThat(BlockingWork.isBackground()).isFalse();
  }

  @Test
  void aRestingJobMakesNoPassUntilItIsWoken() {
    AtomicInteger others = new AtomicInteger();
    PeriodicJob resting =
        new PeriodicJob("resting", PAUSE, passes::incrementAndGet)
            .withRest(Duration.ofDays(1))
            .withFinalPass(STOP_TIMEOUT);
    try (PeriodicJob other = new PeriodicJob("other", PAUSE, others::incrementAndGet)) {
      other.start();
      resting.start();
      Eventually.await(() -> others.get() >= 20);
      assertThat(passes).hasValue(0);
      for (int i = 1; i <= 50; i++) {
        int wanted = i;
        resting.wake();
        Eventually.await(() -> passes.get() >= wanted);
      }
    }
    resting.close();
    assertThat(passes.get()).as("one pass for each call, and the final one").isEqualTo(51);
  }

  @Test
  void aRestEndsByItselfAndAFailedPassIsRepeatedWithoutOne() {
    try (PeriodicJob job =
        new PeriodicJob(
                "test",
                PAUSE,
                () -> {
                  if (passes.incrementAndGet() < 3) {
                    throw new ServiceUnavailable("engine", PAUSE);
                  }
                })
            .withRest(Duration.ofDays(1))) {
      job.start();
      job.wake();
      Eventually.await(() -> passes.get() == 3);
    }
    try (PeriodicJob job =
        new PeriodicJob("test", PAUSE, passes::incrementAndGet).withRest(PAUSE)) {
      job.start();
      Eventually.await(() -> passes.get() >= 6);
    }
  }

  @Test
  void aFailedPassDoesNotEndTheJob() {
    try (PeriodicJob job =
        new PeriodicJob(
            "test",
            PAUSE,
            () -> {
              switch (passes.incrementAndGet()) {
                case 1 -> throw new ServiceUnavailable("engine", PAUSE);
                case 2 -> throw new IllegalStateException("bug");
                default -> {}
              }
            })) {
      job.start();
      Eventually.await(() -> passes.get() >= 4);
    }
  }

  @Test
  void closeWaitsForThePassInProgress() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    PeriodicJob job =
        new PeriodicJob(
                "test",
                Duration.ofDays(1),
                () -> {
                  begun.countDown();
                  awaitUninterruptibly(release);
                  passes.incrementAndGet();
                })
            .withFirstPassAtOnce()
            .withStopTimeout(STOP_TIMEOUT);
    job.start();
    begun.await();
    BlockingWork.start("release", release::countDown);
    job.close();
    assertThat(passes).hasValue(1);
  }

  @Test
  void aPassThatFailsAfterTheCloseIsNoOutage() {
    Logger logger = (Logger) LoggerFactory.getLogger(PeriodicJob.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    AtomicReference<PeriodicJob> stopping = new AtomicReference<>();
    PeriodicJob job =
        new PeriodicJob(
                "closed-engines",
                Duration.ofDays(1),
                () -> {
                  passes.incrementAndGet();
                  Eventually.await(() -> stopping.get() != null && stopping.get().isStopping());
                  throw new ServiceUnavailable("Pool closed", PAUSE);
                })
            .withFirstPassAtOnce()
            .withStopTimeout(STOP_TIMEOUT);
    log.start();
    logger.addAppender(log);
    try {
      job.start();
      Eventually.await(() -> passes.get() == 1);
      stopping.set(job);
      job.close();
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .noneMatch(line -> line.contains("closed-engines"));
  }

  @Test
  void closeRunsTheFinalPass() {
    PeriodicJob job =
        new PeriodicJob("test", Duration.ofDays(1), passes::incrementAndGet)
            .withFirstPassAtOnce()
            .withFinalPass(STOP_TIMEOUT);
    job.start();
    Eventually.await(() -> passes.get() == 1);
    job.close();
    assertThat(passes).hasValue(2);
  }

  @Test
  void aJobStartsOnce() {
    try (PeriodicJob job = new PeriodicJob("test", PAUSE, passes::incrementAndGet)) {
      job.start();
      assertThatThrownBy(job::start).isInstanceOf(IllegalStateException.class);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
