package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class OrderNumbersTest {
  private static final OrderId RANDOM = new OrderId("order_7_0mj7zr4k8q2x5v9c1b7k4p92xm");

  private static OrderNumbers numbers(LedgerFixture books) {
    OrderNumbers numbers = new OrderNumbers(new PostgresOrders(books.database())::drawNumbers);
    LedgerFixture.eventually("numbers", () -> !numbers.numbered(RANDOM).equals(RANDOM));
    return numbers;
  }

  @Test
  void numbersOfSeveralNodesAreUnique() {
    try (LedgerFixture books = LedgerFixture.fresh(TestEngines.shared())) {
      List<OrderNumbers> nodes = List.of(numbers(books), numbers(books), numbers(books));
      Set<OrderNumber> seen = new HashSet<>();
      for (int i = 0; i < 50_000; i++) {
        OrderId id = nodes.get(i % nodes.size()).numbered(RANDOM);
        assertThat(seen.add(id.number())).as("%s is unique", id).isTrue();
      }
    }
  }

  @Test
  void neighboursHaveUnrelatedNumbers() {
    long[] keys = OrderNumbers.keys("a secret of this database");
    long equalBits = 0;
    for (long value = 0; value < 1_000; value++) {
      long changed = OrderNumbers.permute(value, keys) ^ OrderNumbers.permute(value + 1, keys);
      equalBits += 40 - Long.bitCount(changed);
    }
    // Half of 40 bits are equal by chance; a counter would leave 38 equal.
    assertThat(equalBits).isBetween(18_000L, 22_000L);
  }

  @Test
  void thePermutationGivesEachValueOneNumber() {
    long[] keys = OrderNumbers.keys("another secret");
    Set<Long> seen = new HashSet<>();
    Random chance = new Random(7);
    long start = chance.nextLong(1L << 39);
    for (long i = 0; i < 200_000; i++) {
      long number = OrderNumbers.permute(start + i, keys);
      assertThat(number).isBetween(0L, (1L << 40) - 1);
      assertThat(seen.add(number)).isTrue();
    }
  }

  @Test
  void withoutPostgresAnIdKeepsItsRandomEnd() {
    try (LedgerFixture books = LedgerFixture.fresh(TestEngines.shared())) {
      books.database().close();
      OrderNumbers numbers = new OrderNumbers(new PostgresOrders(books.database())::drawNumbers);
      for (int i = 0; i < 3; i++) {
        assertThat(numbers.numbered(RANDOM)).isEqualTo(RANDOM);
      }
    }
  }
}
