package fairgate.gate.policy;

/// The versions in use; 0 for none.
///
/// @param change grows with every change of this pointer
/// @param previous the version that a rollback makes active
/// @param canaryRun numbers the counts of the canary
/// @param canaryShare people with the canary, of 10,000; 0 while it is only evaluated
/// @param canaryGoal the share when the ramp is complete
public record PolicyPointer(
    long change,
    long active,
    long previous,
    long canary,
    long canaryRun,
    int canaryShare,
    int canaryGoal) {
  static final PolicyPointer NONE = new PolicyPointer(-1, 0, 0, 0, 0, 0, 0);

  /// The state of a version.
  ///
  /// @param used whether the version was in use before
  PolicyView.State stateOf(long version, boolean used) {
    if (version == active) {
      return PolicyView.State.ACTIVE;
    }
    if (version == canary) {
      return PolicyView.State.CANARY;
    }
    return used ? PolicyView.State.RETIRED : PolicyView.State.DRAFT;
  }

  /// With another active version; the present one is the target of a rollback. A canary of the new
  /// version ends.
  PolicyPointer withActive(long version) {
    boolean endsCanary = canary == version;
    return new PolicyPointer(
        change + 1,
        version,
        active,
        endsCanary ? 0 : canary,
        canaryRun,
        endsCanary ? 0 : canaryShare,
        endsCanary ? 0 : canaryGoal);
  }

  /// The previous version active again. Any canary ends: it was compared with the version that
  /// goes.
  PolicyPointer rolledBack() {
    return new PolicyPointer(
        change + 1, /* active= */ previous, /* previous= */ active, 0, canaryRun, 0, 0);
  }

  /// With a new canary, at its first share.
  PolicyPointer withCanary(long version, int goal) {
    return new PolicyPointer(
        change + 1,
        active,
        previous,
        version,
        change + 1,
        Math.min(goal, CanaryWatch.FIRST_SHARE),
        goal);
  }

  /// With another goal of the canary. Its share does not grow at once, except from 0 to the first.
  PolicyPointer withGoal(int goal) {
    return new PolicyPointer(
        change + 1,
        active,
        previous,
        canary,
        canaryRun,
        Math.min(goal, Math.max(canaryShare, CanaryWatch.FIRST_SHARE)),
        goal);
  }

  PolicyPointer withShare(int share) {
    return new PolicyPointer(change + 1, active, previous, canary, canaryRun, share, canaryGoal);
  }

  PolicyPointer withoutCanary() {
    return new PolicyPointer(change + 1, active, previous, 0, canaryRun, 0, 0);
  }
}
