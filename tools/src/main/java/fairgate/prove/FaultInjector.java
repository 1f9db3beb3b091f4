package fairgate.prove;

import fairgate.prove.fault.Fault;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Injects the faults of a plan.
///
/// The first round drives each fault until it has happened, however busy the machine is; sales go
/// on meanwhile, beyond the length of the plan if need be. A fault that does not happen within
/// `DRIVE_LIMIT` makes the proof inconclusive. Later rounds last as long as the plan and repeat
/// nothing.
final class FaultInjector {
  /// Time for one fault to happen, all its tries together.
  static final Duration DRIVE_LIMIT = Duration.ofMinutes(2);

  private final List<Fault> faults;
  private final FaultAction strike;
  private final Random chance;
  private final Duration limit;
  private final Consumer<String> reasons;
  private final Map<Fault, Integer> hits = new EnumMap<>(Fault.class);
  private volatile boolean driven;

  /// Injects a fault, and returns when everything is up again; whether the fault has happened.
  @FunctionalInterface
  interface FaultAction {
    boolean at(Fault fault) throws IOException, SQLException;
  }

  /// @param limit `DRIVE_LIMIT`, except in tests
  /// @param reasons takes each reason for which the proof is inconclusive
  FaultInjector(
      List<Fault> faults,
      FaultAction strike,
      Random chance,
      Duration limit,
      Consumer<String> reasons) {
    this.faults = faults;
    this.strike = strike;
    this.chance = chance;
    this.limit = limit;
    this.reasons = reasons;
    faults.forEach(fault -> hits.put(fault, 0));
    this.driven = faults.isEmpty();
  }

  /// Whether the first round is over.
  boolean driven() {
    return driven;
  }

  /// How often each fault has happened so far.
  synchronized Map<Fault, Integer> hits() {
    return new EnumMap<>(hits);
  }

  /// Returns when the first round is over and the time is up.
  ///
  /// @param on whether there is time left for later rounds
  void run(BooleanSupplier on) {
    try {
      shuffled().forEach(this::drive);
    } finally {
      driven = true;
    }
    List<Fault> round = List.of();
    while (on.getAsBoolean() && !faults.isEmpty()) {
      if (round.isEmpty()) {
        round = shuffled();
      }
      boolean _ = strike(round.removeFirst());
    }
  }

  private List<Fault> shuffled() {
    List<Fault> order = new ArrayList<>(faults);
    Collections.shuffle(order, chance);
    return order;
  }

  /// Strikes until the fault has happened.
  private void drive(Fault fault) {
    long begun = System.nanoTime();
    int tries = 0;
    do {
      tries++;
      if (strike(fault)) {
        return;
      }
    } while (System.nanoTime() - begun < limit.toNanos());
    reasons.accept(
        String.format(
            Locale.ROOT,
            "The fault %s (%s) did not happen: %d tries in %d s; %s.",
            fault.word(),
            fault.title(),
            tries,
            (System.nanoTime() - begun) / 1_000_000_000,
            load()));
  }

  /// How busy the machine is.
  static String load() {
    var machine = ManagementFactory.getOperatingSystemMXBean();
    return String.format(
        Locale.ROOT,
        "load average %.1f on %d processors",
        machine.getSystemLoadAverage(),
        machine.getAvailableProcessors());
  }

  private boolean strike(Fault fault) {
    boolean hit = false;
    try {
      hit = strike.at(fault);
    } catch (IOException | SQLException | RuntimeException e) {
      reasons.accept("The fault " + fault.word() + " could not be injected: " + e);
    }
    if (hit) {
      synchronized (this) {
        hits.merge(fault, 1, Integer::sum);
      }
    }
    return hit;
  }
}
