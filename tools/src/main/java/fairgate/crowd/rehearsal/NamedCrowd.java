package fairgate.crowd.rehearsal;

import java.util.Optional;

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
  default int numbers() {
    return people();
  }

  /// The number of addresses of the whole crowd.
  default int addresses() {
    return people();
  }

  /// The address of one person.
  ///
  /// @param person 0 to `people() - 1`
  String address(int person);

  /// The device of one person.
  default Device device(int person) {
    return Device.ofPerson(person);
  }

  /// Units that are the fair share of the crowd itself, if it is one person.
  default int ownUnits() {
    return 0;
  }

  /// The program that goes on with the place of a person; empty if the person does.
  default Optional<Device.Client> program(int person) {
    return Optional.empty();
  }

  /// The behaviour of one person.
  Habits habits(int person);

  /// The sale in which the crowd is tried.
  CrowdSale sale();
}
