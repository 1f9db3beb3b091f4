package fairgate.crowd.rehearsal;

import java.util.List;

/// The prices by which the zoo compares the cost of a place, in euro: round numbers at the low end
/// of what such services asked in 2026, so that an attack looks cheap rather than dear.
///
/// An attacker rents for each place what it has not. An honest person uses what it has anyway, so
/// that its cost is an hour's share of what these things cost in a month.
final class Prices {
  /// A telephone number that receives one code.
  static final double NUMBER = 0.10;

  /// A residential address of a proxy service for the length of a sale: five megabytes.
  static final double ADDRESS = 0.01;

  /// An automated browser for the length of a sale: half a gigabyte and a tenth of a core.
  static final double BROWSER = 0.005;

  /// A second of a rented core.
  static final double CORE_SECOND = 0.04 / 3_600;

  /// An hour of a telephone with its number and its connection: 10 a month, and 300 in three years.
  static final double TELEPHONE_HOUR = 10.0 / 720 + 300.0 / (3 * 365 * 24);

  /// The electricity of a second of work of a telephone: 3 W at 0.30 a kilowatt-hour.
  static final double TELEPHONE_SECOND = 0.003 * 0.30 / 3_600;

  private Prices() {}

  /// The cost of a crowd of attackers.
  static double ofAttack(int numbers, int addresses, int browsers, double coreSeconds) {
    return numbers * NUMBER + addresses * ADDRESS + browsers * BROWSER + coreSeconds * CORE_SECOND;
  }

  /// The cost of honest people.
  static double ofPeople(int people, double telephoneSeconds) {
    return people * TELEPHONE_HOUR + telephoneSeconds * TELEPHONE_SECOND;
  }

  /// For the reports.
  static ReportTable table() {
    return new ReportTable(
        "Prices of the comparison, in euro",
        1,
        List.of("of", "price"),
        List.of(
            List.of("attacker: a number for one code", "0.10"),
            List.of("attacker: a residential address for one sale", "0.01"),
            List.of("attacker: an automated browser for one sale", "0.005"),
            List.of("attacker: an hour of a core", "0.04"),
            List.of("honest: an hour of the own telephone, number and connection", "0.025"),
            List.of("honest: electricity for an hour of work of the telephone", "0.0009")));
  }
}
