package fairgate.gate.ban;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.ban.BanTable.AddressTable;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class AddressTableTest {
  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  private static AddressBlock block(String text) {
    return Objects.requireNonNull(AddressBlock.parse(text));
  }

  @Test
  void allBlocksAroundAnAddressAreFoundNarrowestFirst() {
    AddressTable<String> table = new AddressTable<>();
    table.put(block("10.0.0.0/8"), "wide");
    table.put(block("10.1.0.0/16"), "middle");
    table.put(block("10.1.1.1"), "one");
    assertThat(table.around(address("10.1.1.1"))).containsExactly("one", "middle", "wide");
    assertThat(table.around(address("10.1.1.2"))).containsExactly("middle", "wide");
    assertThat(table.around(address("10.2.1.1"))).containsExactly("wide");
    assertThat(table.around(address("11.0.0.0"))).isEmpty();
    table.remove(block("10.1.0.0/16"));
    assertThat(table.around(address("10.1.1.2"))).containsExactly("wide");
  }

  @Test
  void addressFamiliesAreSeparate() {
    AddressTable<String> table = new AddressTable<>();
    table.put(block("::/0"), "six");
    assertThat(table.around(address("10.0.0.1"))).isEmpty();
    table.put(block("0.0.0.0/0"), "four");
    assertThat(table.around(address("::ffff:10.0.0.1"))).containsExactly("four");
    assertThat(table.around(address("2001:db8::1"))).containsExactly("six");
  }

  /// Compares with a search through all blocks.
  @Property(tries = 200)
  void lookupsAgreeWithALinearSearch(@ForAll long seed) {
    Random random = new Random(seed);
    AddressTable<AddressBlock> table = new AddressTable<>();
    Map<AddressBlock, AddressBlock> all = new HashMap<>();
    for (int i = 0; i < 60; i++) {
      AddressBlock block = new AddressBlock(some(random), random.nextInt(129));
      if (random.nextInt(4) == 0) {
        table.remove(block);
        all.remove(block);
      } else {
        table.put(block, block);
        all.put(block, block);
      }
    }
    for (int i = 0; i < 60; i++) {
      ClientAddress address = some(random);
      assertThat(table.around(address)).containsExactlyElementsOf(around(all, address));
    }
  }

  /// Few distinct addresses, so that many lie in blocks.
  private static ClientAddress some(Random random) {
    return random.nextBoolean()
        ? new ClientAddress(0, 0xffffL << 32 | (random.nextInt() & 0xe0000007L))
        : new ClientAddress(random.nextLong() & 0xe000000000000007L, random.nextLong() & 7);
  }

  private static List<AddressBlock> around(
      Map<AddressBlock, AddressBlock> all, ClientAddress address) {
    return all.keySet().stream()
        .filter(block -> block.contains(address))
        .sorted(Comparator.comparingInt(AddressBlock::bits).reversed())
        .toList();
  }
}
