package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The order of those who join before the opening.
@Tag("slow")
final class PreQueueTest {
  private static final int PEOPLE = 200;
  private static final int MANY = 100_000;

  /// Adds places with random scores, as the join does before the opening.
  private static final String FILL =
      """
      math.randomseed(ARGV[1])
      for i = ARGV[1] + 1, ARGV[1] + ARGV[2] do
        local session = string.format('%08x-0000-4000-8000-%012x', i, i)
        redis.call('ZADD', KEYS[1], string.format('%.3f', math.random() * 1e12), session)
      end
      return ARGV[2]
      """;

  @Test
  void theOrderBeforeTheOpeningIsRandom() {
    SaleWorld sale = scheduled("shuffle 1");
    List<Buyer> buyers = joinOneByOne(sale);
    List<String> arrival = ids(buyers);
    List<String> order = sale.send("ZRANGE", sale.keys().waiting(), "0", "-1").texts();
    assertThat(order).containsExactlyInAnyOrderElementsOf(arrival).isNotEqualTo(arrival);
    // A half is expected of the first half; a script that was first has no better chance.
    long early =
        order.subList(0, PEOPLE / 2).stream()
            .filter(arrival.subList(0, PEOPLE / 2)::contains)
            .count();
    assertThat(early).isBetween(25L, 75L);
  }

  @Test
  void theOrderStaysTheSameAtTheOpening() {
    SaleWorld sale = scheduled("shuffle 1", "capacity 1000");
    var _ = joinOneByOne(sale);
    List<String> order = sale.send("ZRANGE", sale.keys().waiting(), "0", "-1").texts();
    open(sale);
    Buyer late = sale.buyer();
    assertThat(sale.join(late)).containsExactly("JOINED " + PEOPLE);
    List<String> admitted = new ArrayList<>();
    while (sale.admit().at(1).number() > 0) {
      admitted = sale.send("ZRANGE", sale.keys().active(), "0", "-1").texts();
    }
    order = new ArrayList<>(order);
    order.add(late.session().value());
    assertThat(admitted).isEqualTo(order);
  }

  @Test
  void nobodyIsToldThePositionBeforeTheOpening() {
    SaleWorld sale = scheduled("shuffle 1");
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).containsExactly("JOINED -1");
    assertThat(sale.session(buyer, "queue_position_waiting")).isEqualTo("-1");
    Place place = place(sale, buyer);
    assertThat(place.orderHidden()).isTrue();
    assertThat(place.ahead()).isEqualTo(-1);
    assertThat(place.inLine()).isOne();
    RankScript ranks = new RankScript(sale.redis());
    Place ranked =
        ranks
            .run(ranks.shared(sale.keys()), sale.product(), buyer.session())
            .await()
            .orElseThrow()
            .place();
    assertThat(ranked.waitingPosition()).isEqualTo(-1);
    assertThat(ranked.ahead()).isEqualTo(-1);
    open(sale);
    assertThat(place(sale, buyer).waitingPosition()).isZero();
  }

  @Test
  void aSaleInOrderOfArrivalTellsThePosition() {
    SaleWorld sale = scheduled("shuffle 0");
    List<Buyer> buyers = joinOneByOne(sale);
    assertThat(sale.send("ZRANGE", sale.keys().waiting(), "0", "-1").texts())
        .isEqualTo(ids(buyers));
    assertThat(place(sale, buyers.getLast()).waitingPosition()).isEqualTo(PEOPLE - 1);
  }

  @Test
  void aSaleThatWasOpenKeepsItsOrderWhenItIsPostponed() {
    SaleWorld sale = SaleWorld.open(0, "shuffle", "1");
    Buyer first = sale.buyer();
    assertThat(sale.join(first)).containsExactly("JOINED 0");
    String later = Long.toString(sale.now() + 3_600_000);
    assertThat(sale.configure("scheduled", "opens_at", later)).isEqualTo("APPLIED");
    assertThat(sale.join(sale.buyer())).containsExactly("JOINED 1");
    assertThat(place(sale, first).waitingPosition()).isZero();
  }

  @Test
  void aPostponedOpeningKeepsTheOrderAndHidesIt() {
    SaleWorld sale = scheduled("shuffle 1");
    var _ = joinOneByOne(sale);
    List<String> order = sale.send("ZRANGE", sale.keys().waiting(), "0", "-1").texts();
    String later = Long.toString(sale.now() + 7_200_000);
    assertThat(sale.configure("scheduled", "opens_at", later)).isEqualTo("APPLIED");
    assertThat(sale.join(sale.buyer())).containsExactly("JOINED -1");
    assertThat(sale.send("ZRANGE", sale.keys().waiting(), "0", "-1").texts())
        .containsSubsequence(order);
  }

  @Test
  void manyPlacesOpenInBoundedStepsAndInTheirOrder() {
    SaleWorld sale = scheduled("shuffle 1", "capacity 1000000", "slots 0");
    for (int from = 0; from < MANY; from += 50_000) {
      sale.sent("EVAL", FILL, "1", sale.keys().waiting(), Integer.toString(from), "50000");
    }
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).containsExactly("JOINED -1");
    List<String> first = sale.send("ZRANGE", sale.keys().waiting(), "0", "499").texts();
    for (String session : first) {
      sale.sent("HSET", sale.keys().sessionPrefix() + session, "queue_status", "waiting");
    }
    open(sale);
    assertThat(sale.admit().at(1).number()).isEqualTo(250);
    assertThat(sale.send("ZCARD", sale.keys().waiting()).number()).isEqualTo(MANY + 1 - 250);
    RedisReply second = sale.admit();
    assertThat(second.at(1).number()).isEqualTo(250);
    assertThat(second.at(3).number()).as("more to do").isOne();
    assertThat(sale.send("ZRANGE", sale.keys().active(), "0", "-1").texts()).isEqualTo(first);
    sale.sent("UNLINK", sale.keys().waiting());
  }

  private static SaleWorld scheduled(String... fields) {
    SaleWorld now = SaleWorld.unknown();
    List<String> all = new ArrayList<>(List.of(String.join(" ", fields).split(" ")));
    all.addAll(List.of("opens_at", Long.toString(now.now() + 3_600_000)));
    return SaleWorld.in("scheduled", 10, all.toArray(String[]::new));
  }

  private static void open(SaleWorld sale) {
    assertThat(sale.configure("open", "opens_at", Long.toString(sale.now() - 1)))
        .isEqualTo("APPLIED");
  }

  private static List<Buyer> joinOneByOne(SaleWorld sale) {
    List<Buyer> buyers = sale.buyers(PEOPLE);
    for (Buyer buyer : buyers) {
      assertThat(sale.join(buyer)).singleElement().asString().startsWith("JOINED");
    }
    return buyers;
  }

  private static Place place(SaleWorld sale, Buyer buyer) {
    return Place.parse(buyer.session(), sale.scripts().status(List.of(buyer)).await().textAt(0));
  }

  private static List<String> ids(List<Buyer> buyers) {
    return buyers.stream().map(buyer -> buyer.session().value()).toList();
  }
}
