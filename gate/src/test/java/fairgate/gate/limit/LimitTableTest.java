package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Every route has its limits in one table, and the page is that table.
public final class LimitTableTest {
  private static final Path PAGE = Path.of("../docs/operate/limits.md");

  /// For whoever has the server's routes: fails unless the table has exactly these.
  ///
  /// @param routes as method, blank, path
  public static void assertLists(Collection<String> routes) {
    Set<String> listed =
        LimitTable.ROWS.stream()
            .map(LimitTable.Row::route)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(listed).isEqualTo(new TreeSet<>(routes));
  }

  @Test
  void theCommittedPageIsTheGeneratedOne() throws IOException {
    if (Boolean.getBoolean("fairgate.docs.write")) {
      Files.writeString(PAGE, LimitReference.markdown());
    }
    assertThat(PAGE)
        .as("run with -Dfairgate.docs.write=true")
        .hasContent(LimitReference.markdown());
  }

  @Test
  void everyLimitOfARouteExists() {
    Set<String> known =
        LimitDefaults.ALL.stream().map(LimitDefaults.Entry::name).collect(Collectors.toSet());
    assertThat(LimitTable.ROWS).allSatisfy(row -> assertThat(known).containsAll(row.limits()));
  }

  @Test
  void aRouteThatWasForgottenIsLimitedAllTheSame() {
    LimitTable.Row row = LimitTable.of("GET /never/heard/of");
    assertThat(row.limits()).contains("ip", "global");
    assertThat(row.concurrency()).isEqualTo(LimitTable.Concurrency.REQUESTS);
  }

  @Test
  void theSeedsNumbersAreTheDefaults() {
    List<LimitRule> rules = LimitConfig.defaults().rules();
    assertThat(rules.stream().map(r -> r.name() + " " + RuleText.of(r)))
        .contains(
            "ip 5/s local-share",
            "join 3/60s window local-share",
            "create 10/60s window local-share",
            "redirect 100/60s window open",
            "login 5/60s window local-share",
            "register 3/60s window local-share");
    assertThat(LimitConfig.defaults().concurrent()).isEqualTo(10);
  }

  @Test
  void theSeedsKeysHaveTheirNames() {
    List<LimitRule> rules = LimitConfig.defaults().rules();
    LimitFacts facts = LimitWorld.from("203.0.113.9");
    for (String name : List.of("create", "redirect", "login", "register")) {
      LimitRule rule = rules.stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
      assertThat(facts.key(rule, "")).isEqualTo("rl:" + name + ":203.0.113.9");
    }
  }
}
