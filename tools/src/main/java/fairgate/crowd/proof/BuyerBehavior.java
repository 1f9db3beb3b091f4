package fairgate.crowd.proof;

/// The behavior of a simulated buyer.
enum BuyerBehavior {
  /// Joins, waits, buys, pays.
  PLAIN,
  /// Sends each purchase several times at once with one key.
  STORM,
  /// Has two tabs in one browser, each buying with its own key.
  TABS,
  /// Comes again after each purchase until the limit is reached.
  GREEDY,
  /// Uses a key for another request, and a token that has been used.
  CHEAT,
  /// Cancels its order.
  CANCELS,
  /// Never pays.
  FORGETS,
  /// Gives its place up.
  LEAVES,
  /// Joins and is never seen again.
  VANISHES;

  private static final BuyerBehavior[] MIX = {
    PLAIN, PLAIN, PLAIN, PLAIN, STORM, STORM, STORM, TABS, TABS, GREEDY, GREEDY, CHEAT, CHEAT,
    CANCELS, CANCELS, FORGETS, LEAVES, VANISHES
  };

  /// One of the usual crowd.
  ///
  /// @param chance evenly spread
  static BuyerBehavior of(int chance) {
    return MIX[Math.floorMod(chance, MIX.length)];
  }
}
