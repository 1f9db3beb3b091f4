package fairgate.platform.run;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Background work that is repeated on a virtual thread of its own. The pause between the end of
/// one pass and the start of the next is constant, so passes never overlap. Work that does not
/// block uses a timer of Vert.x instead.
///
/// A pass may throw. ServiceUnavailable is logged once per outage of all jobs, any other exception
/// each time; the next pass runs in both cases.
public final class PeriodicJob implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicJob.class);

  /// An engine that is away stops many jobs.
  private static final OutageLog.Group OUTAGES = new OutageLog.Group();

  private final String name;
  private final Duration pause;
  private final Runnable pass;
  private final OutageLog outage;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Semaphore wakeUps = new Semaphore(0);
  private final AtomicBoolean woken = new AtomicBoolean();
  private Duration longestRest = Duration.ZERO;
  private Duration stopTimeout = Duration.ZERO;
  private boolean firstPassAtOnce;
  private boolean finalPass;
  private volatile @Nullable Thread thread;

  /// @param name of the thread, and of the work in the log
  public PeriodicJob(String name, Duration pause, Runnable pass) {
    this.name = name;
    this.pause = pause;
    this.pass = pass;
    this.outage = new OutageLog(LOG, name, OUTAGES);
  }

  /// Starts with a pass instead of a pause.
  public PeriodicJob withFirstPassAtOnce() {
    firstPassAtOnce = true;
    return this;
  }

  /// Makes the job rest after each pass until [#wake] is called, or for this time. The pause
  /// follows, so that one pass does the work of all calls of a moment. A failed pass is repeated
  /// after the pause.
  public PeriodicJob withRest(Duration longest) {
    longestRest = longest;
    return this;
  }

  /// Ends the rest, because there is work. Cheap.
  public void wake() {
    if (!woken.getAndSet(true)) {
      wakeUps.release();
    }
  }

  /// Makes `close` wait for a pass in progress, at most for this time. By default it does not wait.
  public PeriodicJob withStopTimeout(Duration timeout) {
    stopTimeout = timeout;
    return this;
  }

  /// Makes `close` run one more pass and wait for it, at most for this time.
  public PeriodicJob withFinalPass(Duration timeout) {
    finalPass = true;
    return withStopTimeout(timeout);
  }

  /// Starts the job. May be called once.
  public synchronized void start() {
    if (thread != null) {
      throw new IllegalStateException("the job has already been started: " + name);
    }
    thread = BlockingWork.startBackground(name, this::run);
  }

  /// Whether `close` was called. A pass with many steps checks it between two steps.
  public boolean isStopping() {
    return stop.getCount() == 0;
  }

  private void run() {
    if (firstPassAtOnce) {
      runOnce();
    }
    try {
      rest();
      while (!stop.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        // Before the pass: work that comes during it may need another one.
        woken.set(false);
        runOnce();
        rest();
      }
      if (finalPass) {
        runOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void rest() throws InterruptedException {
    if (!longestRest.isZero()) {
      boolean _ = wakeUps.tryAcquire(longestRest.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void runOnce() {
    try {
      pass.run();
      outage.worked();
    } catch (ServiceUnavailable e) {
      wake();
      // The engines may be closed too by then, which is no outage.
      if (!isStopping() || finalPass) {
        outage.waits(e);
      }
    } catch (RuntimeException e) {
      wake();
      LOG.error("A pass of a periodic job failed; job={}", name, e);
    }
  }

  /// Stops the job. A pass that takes longer than the stop timeout ends by itself. A job that was
  /// never started makes no final pass. A repeat does nothing.
  @Override
  public void close() {
    stop.countDown();
    wakeUps.release();
    Thread running = thread;
    if (running == null || stopTimeout.isZero()) {
      return;
    }
    try {
      if (!running.join(stopTimeout)) {
        LOG.warn("A periodic job did not stop in time; job={} timeout={}", name, stopTimeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
