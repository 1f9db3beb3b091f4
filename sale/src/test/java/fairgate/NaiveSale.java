package fairgate;

import fairgate.SaleScripts.Buy;
import fairgate.kernel.OrderId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a sale is to do, said as plainly as can be: lists, maps and no clock. Time passes by being
/// told that something has passed. Replies are those of the scripts.
final class NaiveSale {
  static final class Place {
    Buyer buyer;
    String status = "waiting";
    String ended = "";
    String order = "";
    String token = "";
    boolean tokenUsed;
    boolean windowPassed;
    boolean unseen;

    /// `behind` or `held`, and the decision that seated it; empty for none.
    String seat = "";

    String decision = "";

    /// Whether it was admitted as one of those behind others.
    boolean lane;

    Place(Buyer buyer) {
      this.buyer = buyer;
    }

    String id() {
      return buyer.session().value();
    }

    boolean live() {
      return !status.equals("purchased") && !status.equals("expired");
    }
  }

  private record Used(OrderId order, String print) {}

  final NaiveRules rules;
  final String product;
  String state = "open";
  final List<Place> waiting = new ArrayList<>();
  final List<Place> active = new ArrayList<>();
  final List<Place> ready = new ArrayList<>();
  final Map<String, Place> places = new LinkedHashMap<>();
  final Map<String, String> devices = new HashMap<>();
  final Map<String, Integer> bought = new HashMap<>();
  final Set<String> cooling = new HashSet<>();
  final Set<String> purchases = new HashSet<>();
  final NaiveOrders orders = new NaiveOrders(this);
  private final Map<String, Used> keys = new HashMap<>();
  long stock;
  long released;
  long held;
  long confirmed;
  long seq;
  int batch;
  long joined;
  long admitted;
  long missed;
  long turns;

  NaiveSale(NaiveRules rules, String product) {
    this.rules = rules;
    this.product = product;
  }

  static String user(Buyer buyer) {
    return "user " + buyer.user();
  }

  static String device(Buyer buyer) {
    return "device " + buyer.device();
  }

  int bought(String who) {
    return bought.getOrDefault(who, 0);
  }

  String join(Buyer buyer, String named) {
    if (state.equals("closed")) {
      return "CLOSED";
    }
    Place mine = places.get(named);
    if (mine == null || !mine.live()) {
      // Without an account both are the device.
      mine = places.get(devices.getOrDefault(buyer.device(), devices.get(buyer.user())));
    }
    if (mine != null) {
      if (own(mine, buyer)) {
        improveSeat(mine);
      }
      return "ALREADY " + mine.id();
    }
    if (overForBuyer(buyer, 1)) {
      return "LIMIT";
    }
    if (cooling.contains(device(buyer)) || cooling.contains(user(buyer))) {
      return "COOLDOWN";
    }
    Place place = new Place(buyer);
    places.put(place.id(), place);
    devices.put(buyer.device(), place.id());
    devices.put(buyer.user(), place.id());
    joined++;
    return "JOINED " + line(place);
  }

  /// Puts a place at the end of its seat, and returns its position.
  private int line(Place place) {
    int behind = seats().indexOf(place.seat);
    int position =
        (int) waiting.stream().filter(one -> seats().indexOf(one.seat) <= behind).count();
    waiting.add(position, place);
    return position;
  }

  /// From the front to the end.
  private static List<String> seats() {
    return List.of("", "behind", "held");
  }

  /// Whether the place is the buyer's. A guest's place in the same browser becomes the account's,
  /// unless that has another one.
  private boolean own(Place place, Buyer buyer) {
    String account = place.buyer.account();
    boolean sameDevice = place.buyer.device().equals(buyer.device());
    if (!account.isEmpty() || buyer.account().isEmpty()) {
      return account.equals(buyer.account()) && (!account.isEmpty() || sameDevice);
    }
    if (!sameDevice || devices.containsKey(buyer.account())) {
      return false;
    }
    place.buyer = new Buyer(place.buyer.session(), buyer.device(), buyer.account());
    devices.put(buyer.account(), place.id());
    return true;
  }

  /// A repeat of the join without risk moves a waiting place to the end of those in front.
  private void improveSeat(Place place) {
    if (waiting.contains(place) && !place.seat.isEmpty()) {
      waiting.remove(place);
      place.seat = "";
      place.decision = "";
      int _ = line(place);
    }
  }

  /// A risky purchase takes the turn of a place once.
  String moveBehind(Buyer buyer, String decision, String seat) {
    Place place = places.get(buyer.session().value());
    if (place == null || !ready.contains(place) || !place.decision.isEmpty()) {
      return "KEPT";
    }
    if (place.windowPassed || !state.equals("open")) {
      return "KEPT";
    }
    ready.remove(place);
    active.remove(place);
    place.status = "waiting";
    place.token = "";
    place.lane = false;
    place.seat = seat;
    place.decision = decision;
    int _ = line(place);
    return "MOVED";
  }

  boolean over(String who, int max, int more) {
    return max > 0 && bought(who) + more > max;
  }

  /// What a browser bought as a guest counts for the account that signs in there.
  private boolean overForBuyer(Buyer buyer, int more) {
    boolean isGuest = buyer.user().equals(buyer.device());
    int asGuest = isGuest ? 0 : bought("user " + buyer.device());
    return over(user(buyer), rules.maxUser(), asGuest + more)
        || over(device(buyer), rules.maxDevice(), more);
  }

  String leave(Buyer buyer) {
    Place place = places.get(buyer.session().value());
    if (place == null) {
      return "UNKNOWN";
    }
    if (place.ended.equals("left") && place.status.equals("expired")) {
      return "LEFT " + product;
    }
    if (!place.live()) {
      return "GONE " + product;
    }
    end(place, "left");
    return "LEFT " + product;
  }

  private void end(Place place, String why) {
    depart(place);
    place.status = "expired";
    place.ended = why;
  }

  private void depart(Place place) {
    waiting.remove(place);
    active.remove(place);
    ready.remove(place);
    devices.remove(place.buyer.device(), place.id());
    devices.remove(place.buyer.user(), place.id());
  }

  /// The sessions that became ready, after the numbers of those admitted and passed over.
  List<String> admit() {
    if (!state.equals("open")) {
      return List.of("0", "0");
    }
    Moves moves = new Moves();
    if (stock > 0) {
      admit("", rules.capacity() - active.size(), moves);
      boolean inFront = waiting.stream().anyMatch(place -> place.seat.isEmpty());
      if (!inFront) {
        admit("behind", Math.min(rules.capacity() - active.size(), roomBehind()), moves);
      }
    }
    admitted += moves.came;
    List<String> reply =
        new ArrayList<>(List.of(Integer.toString(moves.came), Integer.toString(moves.passed)));
    while (ready.size() > Math.max(0, stock)) {
      Place last = active.get(ready.size() - 1);
      last.status = "active";
      last.windowPassed = false;
      ready.remove(last);
    }
    while (ready.size() < Math.min(windows(), active.size())) {
      Place next = active.get(ready.size());
      next.status = "ready_to_purchase";
      ready.add(next);
      turns++;
      reply.add(next.id());
    }
    return reply;
  }

  /// How many may buy at the same time: there is a unit for each.
  private int windows() {
    return (int) Math.max(0, Math.min(rules.slots(), stock));
  }

  private static final class Moves {
    int came;
    int passed;
  }

  /// Admits the first waiting ones of a seat.
  private void admit(String seat, int most, Moves moves) {
    int left = most;
    while (left > 0 && !waiting.isEmpty() && waiting.getFirst().seat.equals(seat)) {
      Place next = waiting.removeFirst();
      if (rules.presence() && next.unseen) {
        end(next, "presence");
        moves.passed++;
      } else {
        next.status = "active";
        next.lane = !seat.isEmpty();
        active.add(next);
        moves.came++;
        left--;
      }
    }
  }

  /// Those behind others get the units that nobody in front can still take.
  private int roomBehind() {
    int behind = (int) active.stream().filter(place -> place.lane).count();
    int inFront = active.size() - behind;
    return inFront == 0
        ? Integer.MAX_VALUE
        : (int) (stock / rules.maxQuantity()) - inFront - behind;
  }

  /// The index of places on Redis.
  Map<String, String> index() {
    Map<String, String> index = new HashMap<>(devices);
    places.values().stream()
        .filter(place -> place.live() && !place.decision.isEmpty())
        .forEach(place -> index.put("seat:" + place.decision, place.id()));
    long lane = active.stream().filter(place -> place.lane).count();
    if (lane > 0) {
      index.put("lane:behind", Long.toString(lane));
    }
    return index;
  }

  /// How many missed their window, and how many ended with the sale.
  List<String> expire() {
    int late = 0;
    int ended = 0;
    for (Place place : List.copyOf(places.values())) {
      if (place.live() && state.equals("closed")) {
        end(place, "closed");
        ended++;
      } else if (state.equals("open") && ready.contains(place) && place.windowPassed) {
        end(place, "window");
        cooling.add(device(place.buyer));
        cooling.add(user(place.buyer));
        late++;
      }
    }
    missed += late;
    return List.of(Integer.toString(late), Integer.toString(ended));
  }

  String status(Buyer buyer) {
    Place place = places.get(buyer.session().value());
    if (place == null) {
      return "UNKNOWN";
    }
    boolean late = ready.contains(place) && place.windowPassed && state.equals("open");
    if (place.live() && (late || state.equals("closed"))) {
      return "expired";
    }
    place.unseen = false;
    return place.status;
  }

  String issue(Buyer buyer, String token) {
    Place place = places.get(buyer.session().value());
    if (!rules.token() || place == null || !ready.contains(place) || place.windowPassed) {
      return "NOT_READY";
    }
    if (place.token.isEmpty()) {
      place.token = token;
    }
    return "TOKEN " + place.token;
  }

  String purchase(Buy buy) {
    Used used = buy.print().isEmpty() ? null : keys.get(buy.key());
    if (used != null) {
      return used.print().equals(buy.print()) ? "REPLAYED|" + used.order() : "CONFLICT";
    }
    Place place = places.get(buy.buyer().session().value());
    String no = refusal(place, buy);
    if (!no.isEmpty()) {
      return no;
    }
    Place mine = Objects.requireNonNull(place);
    depart(mine);
    mine.status = "purchased";
    mine.order = buy.order().value();
    mine.tokenUsed = rules.token();
    stock -= buy.quantity();
    seq++;
    count(mine.buyer, buy.quantity());
    purchases.add(mine.id());
    orders.born(buy.order(), mine, buy.quantity());
    if (!buy.print().isEmpty()) {
      keys.put(buy.key(), new Used(buy.order(), buy.print()));
    }
    String status = rules.pays() ? "pending" : "paid";
    return "RESERVED|%s|%d|%d|TWD|%s"
        .formatted(buy.order(), buy.quantity(), 9_999L * buy.quantity(), status);
  }

  void count(Buyer buyer, int quantity) {
    bought.merge(user(buyer), quantity, Integer::sum);
    bought.merge(device(buyer), quantity, Integer::sum);
  }

  private String refusal(@Nullable Place place, Buy buy) {
    if (place == null) {
      return "UNKNOWN";
    }
    if (place.status.equals("purchased")) {
      return "BOUGHT|" + place.order;
    }
    if (state.equals("closed")) {
      return "CLOSED";
    }
    if (place.status.equals("expired")) {
      return place.ended.equals("window") ? "TIMEOUT" : "NOT_IN_QUEUE";
    }
    if (!state.equals("open")) {
      return "NOT_OPEN";
    }
    if (!ready.contains(place)) {
      return place.status.equals("waiting") ? "NOT_IN_ACTIVE" : "NOT_READY";
    }
    if (place.windowPassed) {
      return "TIMEOUT";
    }
    if (rules.token() && (place.token.isEmpty() || !place.token.equals(buy.token()))) {
      return "BAD_TOKEN";
    }
    if (buy.quantity() > rules.maxQuantity()) {
      return "QUANTITY|" + rules.maxQuantity();
    }
    if (overForBuyer(place.buyer, buy.quantity())) {
      return "LIMIT";
    }
    return stock < buy.quantity() ? "SOLD_OUT" : "";
  }

  String stockBatch(int number, int units) {
    if (number <= batch) {
      return "ALREADY";
    }
    if (number > batch + 1) {
      return "GAP";
    }
    batch = number;
    stock += units;
    released += units;
    seq++;
    return "APPLIED";
  }
}
