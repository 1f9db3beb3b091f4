package fairgate.gate.ban;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AddressTableTest {
  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  private static AddressBlock block(String text) {
    return Objects.requireNonNull(AddressBlock.parse(text));
  }

  @Test
  void theNarrowestMatchingBlockIsFound() {
    AddressTable<String> table = new AddressTable<>();
    table.put(block("10.0.0.0/8"), "wide");
    table.put(block("10.1.0.0/16"), "middle");
    table.put(block("10.1.1.1"), "one");
    assertThat(table.find(address("10.1.1.1"), _ -> true)).isEqualTo("one");
    assertThat(table.find(address("10.1.1.1"), v -> !v.equals("one"))).isEqualTo("middle");
    assertThat(table.find(address("10.1.1.2"), _ -> true)).isEqualTo("middle");
    assertThat(table.find(address("10.2.1.1"), _ -> true)).isEqualTo("wide");
    assertThat(table.find(address("11.0.0.0"), _ -> true)).isNull();
    table.remove(block("10.1.0.0/16"));
    assertThat(table.find(address("10.1.1.2"), _ -> true)).isEqualTo("wide");
  }

  @Test
  void addressFamiliesAreSeparate() {
    AddressTable<String> table = new AddressTable<>();
    table.put(block("::/0"), "six");
    assertThat(table.find(address("10.0.0.1"), _ -> true)).isNull();
    table.put(block("0.0.0.0/0"), "four");
    assertThat(table.find(address("::ffff:10.0.0.1"), _ -> true)).isEqualTo("four");
    assertThat(table.find(address("2001:db8::1"), _ -> true)).isEqualTo("six");
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
      assertThat(table.find(address, _ -> true)).isEqualTo(narrowest(all, address));
    }
  }

  /// Few distinct addresses, so that many lie in blocks.
  private static ClientAddress some(Random random) {
    return random.nextBoolean()
        ? new ClientAddress(0, 0xffffL << 32 | (random.nextInt() & 0xe0000007L))
        : new ClientAddress(random.nextLong() & 0xe000000000000007L, random.nextLong() & 7);
  }

  private static @Nullable AddressBlock narrowest(
      Map<AddressBlock, AddressBlock> all, ClientAddress address) {
    AddressBlock found = null;
    for (AddressBlock block : all.keySet()) {
      if (block.contains(address) && (found == null || found.bits() < block.bits())) {
        found = block;
      }
    }
    return found;
  }
}
