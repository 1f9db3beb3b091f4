package fairgate.draw;

import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/// Moves all draws forward, each on one node at a time. The node holds a lease in PostgreSQL; when
/// it dies, another one goes on after ten seconds.
public final class DrawLoop implements AutoCloseable {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final Draws draws;
  private final PostgresDraws store;
  private final DrawCourse course;
  private final BeaconSources sources;
  private final String node;
  private final PeriodicJob job;

  /// Draws that need no more steps of this node: ended, or aborted with a public reason.
  private final Set<String> done = new HashSet<>();

  DrawLoop(
      Draws draws,
      PostgresDraws store,
      DrawCourse course,
      BeaconSources sources,
      String node,
      Duration pass) {
    this.draws = draws;
    this.store = store;
    this.course = course;
    this.sources = sources;
    this.node = node;
    this.job = new PeriodicJob("draws", pass, this::pass);
  }

  /// Starts the passes. Called once.
  public void start() {
    job.start();
  }

  /// Moves all draws now. Blocks.
  void pass() {
    RuntimeException failure = null;
    BeaconSources.Rounds rounds = sources.rounds();
    for (Draw draw : draws.all()) {
      if (job.isStopping()) {
        return;
      }
      try {
        move(draw, rounds);
      } catch (RuntimeException e) {
        // Another draw may be fine.
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void move(Draw draw, BeaconSources.Rounds rounds) {
    if (done.contains(draw.id()) || !store.lease(draw.id(), node, LEASE)) {
      return;
    }
    course.run(draw.id(), rounds);
    draws.refresh();
    if (draw.state().isOver()) {
      done.add(draw.id());
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
