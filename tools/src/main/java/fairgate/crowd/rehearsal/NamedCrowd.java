package fairgate.crowd.rehearsal;

/// A crowd of the attack zoo: people, addresses, identities and behaviour. `CrowdRun` runs all of
/// them alike, each together with `HonestVisitors` in a sale of its own.
interface NamedCrowd {
  /// The letter in the contract, the option `--crowd` and the reports.
  char letter();

  /// One phrase for the reports.
  String title();

  /// Whether the crowd is honest: then every refusal is a fault.
  default boolean honest() {
    return false;
  }

  /// The number of simulated people: each wants one place.
  int people();

  /// Verified telephone numbers of the whole crowd, one account each. People share them in turn.
  /// Used only in sales with `identity: phone`.
  int numbers();

  /// The number of addresses of the whole crowd.
  int addresses();

  /// The address of one person.
  ///
  /// @param person 0 to `people() - 1`
  String address(int person);

  /// The behaviour of one person.
  Habits habits(int person);

  /// The sale in which the crowd is tried.
  CrowdSale sale();
}
