package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

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

  /// The numbers of its behavior that the page of one person sends with the join; null for none, as
  /// of programs that do not open a page, of people without scripts, and of old pages.
  ///
  /// @param chance of the person
  default @Nullable ObjectNode behavior(int person, SplittableRandom chance) {
    return honest() ? Movement.ofPerson(chance) : null;
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
  VisitorProfile profile(int person);

  /// The sale in which the crowd is tried.
  CrowdSale sale();
}
