package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A crowd of the attack zoo: people, addresses, identities and behaviour. `CrowdRun` runs all of
/// them alike, each together with the `honestVisitors` in a sale of its own.
final class NamedCrowd {
  /// The address of 300 people, which the operator has to allow-list.
  static final String SHARED_ADDRESS = "198.51.100.7";

  /// One person with one address and one number who keeps no cookies, so that each place is a new
  /// browser. Takes its places before the opening.
  static final NamedCrowd ONE_ADDRESS =
      new NamedCrowd('a', "one address, no cookies", 60, CrowdSale.flash(100))
          .numbers(1)
          .oneAddress("203.0.113.9")
          .devices(_ -> Device.COPY)
          .behaves(
              VisitorProfile.script(Duration.ofSeconds(22), false, VisitorProfile.ONE_ADDRESS));

  /// One person with one IPv6 /48, as any hosting company leases it: each place has a /64 of its
  /// own, and the places are spread over all 256 of its /56.
  static final NamedCrowd ONE_SITE =
      new NamedCrowd('b', "one IPv6 /48, no cookies", 500, CrowdSale.flash(1_000))
          .numbers(1)
          .addresses(
              person ->
                  String.format(
                      Locale.ROOT, "2001:db8:77:%04x::1", ((person % 256) << 8) | (person / 256)))
          .devices(_ -> Device.COPY)
          .behaves(VisitorProfile.script(Duration.ofSeconds(16), false, Duration.ZERO));

  /// 500 residential addresses of a proxy service, each in a network of its own, with a headless
  /// browser that keeps its cookies: one device and one number each.
  static final NamedCrowd RESIDENTIAL =
      new NamedCrowd('c', "500 residential addresses", 500, CrowdSale.flash(300))
          .addresses(person -> "172." + (16 + person / 250) + "." + person % 250 + ".9")
          .devices(
              person ->
                  switch (person % 3) {
                    case 0 -> Device.HEADLESS;
                    case 1 -> Device.SCRIPT;
                    default -> Device.copyOf("profile");
                  })
          .behaves(VisitorProfile.script(Duration.ofSeconds(10), true, Duration.ZERO));

  /// One person with 50 accounts and 50 telephone numbers behind one address, who tries each
  /// account in two browsers. The person has one place like anybody else, with the two units of a
  /// telephone or browser.
  static final NamedCrowd MANY_NUMBERS =
      new NamedCrowd(
              'd',
              "50 accounts with 50 numbers",
              100,
              CrowdSale.flash(200).longest(Duration.ofSeconds(90)))
          .numbers(50)
          .ownUnits(2)
          .oneAddress("203.0.113.77")
          .devices(person -> Device.copyOf(person < 50 ? "first browser" : "second browser"))
          .behaves(VisitorProfile.script(Duration.ofSeconds(20), true, VisitorProfile.ONE_ADDRESS));

  /// 50 hired people who take a place each with a browser and an address of their own. Then a
  /// program on the same machine goes on with their cookies: half of them with copies of all
  /// headers of the browser, half as a script that copies its name.
  static final NamedCrowd HUMANS_AT_THE_GATE =
      new NamedCrowd('e', "humans at the gate, a bot after it", 50, CrowdSale.flash(100))
          .addresses(person -> "172.29." + person + ".9")
          .moves((_, chance) -> Movement.ofPerson(chance))
          .handsOverTo(
              person -> Optional.of(person % 2 == 0 ? Device.Client.CHROME : Device.Client.SCRIPT))
          .behaves(VisitorProfile.gatekeeper());

  /// Fakes that take the first places of a line and never show up.
  static final NamedCrowd ABSENTEES =
      new NamedCrowd('f', "fakes that never show up", 24, CrowdSale.shortLine(100))
          .addresses(person -> "172.31." + person + ".9")
          .devices(_ -> Device.COPY)
          .behaves(VisitorProfile.absent(Duration.ofSeconds(9), Duration.ofSeconds(6)));

  /// 300 honest people behind one NAT: a dormitory, an office, a carrier.
  static final NamedCrowd ONE_NAT =
      new NamedCrowd('g', "300 honest people behind one NAT", 300, CrowdSale.flash(400))
          .people()
          .oneAddress(SHARED_ADDRESS);

  /// Honest people with slow telephones, and with screen readers, who go page by page. Pages
  /// without scripts count no movement.
  static final NamedCrowd SLOW_VISITORS =
      new NamedCrowd(
              'h',
              "slow telephones and screen readers",
              40,
              CrowdSale.flash(200).longest(Duration.ofSeconds(100)))
          .people()
          .addresses(person -> "172.30." + person + ".9")
          .moves((person, chance) -> person % 2 == 1 ? null : Movement.ofPerson(chance))
          .behaves(person -> VisitorProfile.slow(person % 2 == 1));

  /// Places of one address that come to their turns and buy nothing. Each keeps its own cookies.
  static final NamedCrowd IDLERS =
      new NamedCrowd('i', "one address that never buys", 5, CrowdSale.twoTurns(100))
          .oneAddress("203.0.113.77")
          .devices(_ -> Device.COPY)
          .behaves(
              VisitorProfile.idle(
                  Duration.ofSeconds(9), Duration.ofSeconds(6), CrowdSale.SHORT_WINDOW));

  static final NamedCrowd REPLAYED_MOVEMENT =
      movingPrograms('j', "programs that replay recorded movement", 27)
          .moves((person, chance) -> Movement.replayed(person % 5, chance));

  static final NamedCrowd STRAIGHT_MOVEMENT =
      movingPrograms('k', "programs that move in straight lines", 28)
          .moves((_, chance) -> Movement.straight(chance));

  private final char letter;
  private final String title;
  private final int people;
  private final CrowdSale sale;
  private boolean honest;
  private int numbers;
  private int addresses;
  private int ownUnits;
  private IntFunction<String> address = _ -> "";
  private IntFunction<Device> device = Device::ofPerson;
  private Moves moves = (_, _) -> null;
  private IntFunction<Optional<Device.Client>> program = _ -> Optional.empty();
  private IntFunction<VisitorProfile> profile = _ -> VisitorProfile.honest();

  private interface Moves {
    @Nullable ObjectNode of(int person, SplittableRandom chance);
  }

  private NamedCrowd(char letter, String title, int people, CrowdSale sale) {
    this.letter = letter;
    this.title = title;
    this.people = people;
    this.numbers = people;
    this.addresses = people;
    this.sale = sale;
  }

  /// The control group of every run: people with a telephone and an address of their own. Alone in
  /// a sale, they are the run without an attack.
  ///
  /// @param sale that of the attack
  static NamedCrowd honestVisitors(int people, CrowdSale sale) {
    return new NamedCrowd('-', "honest visitors", people, sale)
        .people()
        .addresses(person -> "10." + person / 250 % 250 + "." + person % 250 + ".7");
  }

  /// 50 automated browsers with all headers, a key and an address of their own, which ask at the
  /// times of a person. Only their movement on the page is not that of people.
  private static NamedCrowd movingPrograms(char letter, String title, int network) {
    return new NamedCrowd(letter, title, 50, CrowdSale.flash(100))
        .addresses(person -> "172." + network + "." + person + ".9")
        .devices(_ -> new Device(Device.Client.CHROME, Device.OWN));
  }

  private NamedCrowd people() {
    honest = true;
    return moves((_, chance) -> Movement.ofPerson(chance));
  }

  private NamedCrowd numbers(int count) {
    numbers = count;
    return this;
  }

  private NamedCrowd ownUnits(int units) {
    ownUnits = units;
    return this;
  }

  private NamedCrowd oneAddress(String text) {
    addresses = 1;
    return addresses(_ -> text);
  }

  private NamedCrowd addresses(IntFunction<String> ofPerson) {
    address = ofPerson;
    return this;
  }

  private NamedCrowd devices(IntFunction<Device> ofPerson) {
    device = ofPerson;
    return this;
  }

  private NamedCrowd moves(Moves ofPerson) {
    moves = ofPerson;
    return this;
  }

  private NamedCrowd handsOverTo(IntFunction<Optional<Device.Client>> ofPerson) {
    program = ofPerson;
    return this;
  }

  private NamedCrowd behaves(VisitorProfile all) {
    return behaves(_ -> all);
  }

  private NamedCrowd behaves(IntFunction<VisitorProfile> ofPerson) {
    profile = ofPerson;
    return this;
  }

  /// The letter in the contract, the option `--crowd` and the reports.
  char letter() {
    return letter;
  }

  /// One phrase for the reports.
  String title() {
    return title;
  }

  /// Whether the crowd is honest: then every refusal is a fault.
  boolean honest() {
    return honest;
  }

  /// The number of simulated people: each wants one place.
  int size() {
    return people;
  }

  /// Verified telephone numbers of the whole crowd, one account each. People share them in turn.
  /// Used only in sales with `identity: phone`.
  int numbers() {
    return numbers;
  }

  /// The number of addresses of the whole crowd.
  int addresses() {
    return addresses;
  }

  /// The address of one person.
  ///
  /// @param person 0 to `size() - 1`
  String address(int person) {
    return address.apply(person);
  }

  Device device(int person) {
    return device.apply(person);
  }

  /// The numbers of its behavior that the page of one person sends with the join; null for none, as
  /// of programs that do not open a page, of people without scripts, and of old pages.
  ///
  /// @param chance of the person
  @Nullable ObjectNode behavior(int person, SplittableRandom chance) {
    return moves.of(person, chance);
  }

  /// Units that are the fair share of the crowd itself, if it is one person.
  int ownUnits() {
    return ownUnits;
  }

  /// The program that goes on with the place of a person; empty if the person does.
  Optional<Device.Client> program(int person) {
    return program.apply(person);
  }

  VisitorProfile profile(int person) {
    return profile.apply(person);
  }

  /// The sale in which the crowd is tried.
  CrowdSale sale() {
    return sale;
  }
}
