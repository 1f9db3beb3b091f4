package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoredDecisionIdsTest {
  private static final Instant AT = Instant.parse("2026-11-25T13:00:07Z");
  private static final byte[] OLD = new byte[32];
  private static final byte[] NEW = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
  };

  private final StoredDecisionIds ids = new StoredDecisionIds(new KeyRing("a", Map.of("a", OLD)));

  @Test
  void anIdHasItsTimeAndIsUnique() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      String id = ids.issue(AT.toEpochMilli() + 999);
      assertThat(id).matches("[A-Za-z0-9_-]{22}");
      assertThat(ids.issuedAt(id)).contains(AT);
      seen.add(id);
    }
    assertThat(seen).hasSize(1_000);
  }

  @Test
  void idsOfAReplacedKeyRemainValid() {
    String id = ids.issue(AT.toEpochMilli());
    KeyRing both = new KeyRing("b", Map.of("a", OLD, "b", NEW));
    assertThat(new StoredDecisionIds(both).issuedAt(id)).contains(AT);
    KeyRing other = new KeyRing("b", Map.of("b", NEW));
    assertThat(new StoredDecisionIds(other).issuedAt(id)).isEmpty();
  }

  @Test
  void everyChangedCharacterMakesAnIdUnknown() {
    String id = ids.issue(AT.toEpochMilli());
    for (int i = 0; i < id.length(); i++) {
      char other = id.charAt(i) == 'A' ? 'B' : 'A';
      String changed = id.substring(0, i) + other + id.substring(i + 1);
      assertThat(ids.issuedAt(changed)).as(changed).isEmpty();
    }
    for (String bad : new String[] {"", "A", id + "A", id.substring(1), "\u0000".repeat(22)}) {
      assertThat(ids.issuedAt(bad)).as(bad).isEmpty();
    }
  }
}
