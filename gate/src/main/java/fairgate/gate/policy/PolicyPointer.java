package fairgate.gate.policy;

/// The versions in use; 0 for none.
///
/// @param change grows with every change of this pointer
/// @param previous the version that a rollback makes active
/// @param shadowRun numbers the counts of the shadow
/// @param canaryRun numbers the counts of the canary
/// @param canaryShare people with the canary, of 10,000
/// @param canaryGoal the share when the ramp is complete
public record PolicyPointer(
    long change,
    long active,
    long previous,
    long shadow,
    long shadowRun,
    long canary,
    long canaryRun,
    int canaryShare,
    int canaryGoal) {
  static final PolicyPointer NONE = new PolicyPointer(-1, 0, 0, 0, 0, 0, 0, 0, 0);

  /// The state of a version.
  ///
  /// @param used whether the version was in use before
  PolicyState stateOf(long version, boolean used) {
    if (version == active) {
      return PolicyState.ACTIVE;
    }
    if (version == canary) {
      return PolicyState.CANARY;
    }
    if (version == shadow) {
      return PolicyState.SHADOW;
    }
    return used ? PolicyState.RETIRED : PolicyState.DRAFT;
  }

  /// With another active version; the present one is the target of a rollback. A canary or shadow
  /// of the new version ends.
  PolicyPointer withActive(long version) {
    boolean endsCanary = canary == version;
    return new PolicyPointer(
        change + 1,
        version,
        active,
        shadow == version ? 0 : shadow,
        shadowRun,
        endsCanary ? 0 : canary,
        canaryRun,
        endsCanary ? 0 : canaryShare,
        endsCanary ? 0 : canaryGoal);
  }

  /// The previous version active again. Any canary ends: it was compared with the version that
  /// goes.
  PolicyPointer rolledBack() {
    return new PolicyPointer(
        change + 1,
        /* active= */ previous,
        /* previous= */ active,
        shadow == previous ? 0 : shadow,
        shadowRun,
        0,
        canaryRun,
        0,
        0);
  }

  /// With another shadow; 0 for none.
  PolicyPointer withShadow(long version) {
    return new PolicyPointer(
        change + 1,
        active,
        previous,
        version,
        change + 1,
        canary == version ? 0 : canary,
        canaryRun,
        canary == version ? 0 : canaryShare,
        canary == version ? 0 : canaryGoal);
  }

  /// With a new canary, at its first share.
  PolicyPointer withCanary(long version, int goal) {
    return new PolicyPointer(
        change + 1,
        active,
        previous,
        shadow == version ? 0 : shadow,
        shadowRun,
        version,
        change + 1,
        Math.min(goal, CanaryWatch.FIRST_SHARE),
        goal);
  }

  /// With another goal of the canary; its share does not grow at once.
  PolicyPointer withGoal(int goal) {
    return new PolicyPointer(
        change + 1,
        active,
        previous,
        shadow,
        shadowRun,
        canary,
        canaryRun,
        Math.min(goal, canaryShare),
        goal);
  }

  PolicyPointer withShare(int share) {
    return new PolicyPointer(
        change + 1, active, previous, shadow, shadowRun, canary, canaryRun, share, canaryGoal);
  }

  PolicyPointer withoutCanary() {
    return new PolicyPointer(change + 1, active, previous, shadow, shadowRun, 0, canaryRun, 0, 0);
  }
}
