package fairgate.platform.run;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
      while (!stop.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        runOnce();
      }
      if (finalPass) {
        runOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runOnce() {
    try {
      pass.run();
      outage.worked();
    } catch (ServiceUnavailable e) {
      // The engines may be closed too by then, which is no outage.
      if (!isStopping() || finalPass) {
        outage.waits(e);
      }
    } catch (RuntimeException e) {
      LOG.error("A pass of a periodic job failed; job={}", name, e);
    }
  }

  /// Stops the job. A pass that takes longer than the stop timeout ends by itself. A job that was
  /// never started makes no final pass. A repeat does nothing.
  @Override
  public void close() {
    stop.countDown();
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
