package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitDefaults.RuleText;
import fairgate.platform.http.Action;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The limits that a server has without settings, and their page.
public final class LimitDefaultsTest {
  private static final Path PAGE = Path.of("../docs/operate/limits.md");

  /// For whoever has the server's routes: fails unless the committed page is generated from them,
  /// and each of them names limits that exist.
  public static void assertDocuments(Collection<Route> routes) throws IOException {
    Set<String> known =
        LimitDefaults.ALL.stream().map(LimitDefaults.Entry::name).collect(Collectors.toSet());
    Map<Action, RouteLimits> declared =
        routes.stream()
            .filter(route -> route.limits() != null)
            .collect(Collectors.toMap(Route::action, Route::limits));
    assertThat(declared.values())
        .allSatisfy(limits -> assertThat(known).containsAll(limits.names()));
    assertThat(routes)
        .as("a route has limits, or is the form of one that has")
        .allSatisfy(route -> assertThat(declared).containsKey(route.action()));
    String page = LimitReference.markdown(routes);
    if (Boolean.getBoolean("fairgate.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).as("run with -Dfairgate.docs.write=true").hasContent(page);
  }

  @Test
  void theSeedsNumbersAreTheDefaults() {
    List<LimitRule> rules = LimitFeature.Config.defaults().rules();
    assertThat(rules.stream().map(r -> r.name() + " " + RuleText.of(r)))
        .contains(
            "ip 5/s local-share",
            "join 3/60s window local-share",
            "create 10/60s window local-share",
            "redirect 100/60s window open",
            "login 5/60s window local-share",
            "register 3/60s window local-share");
    assertThat(LimitFeature.Config.defaults().concurrent()).isEqualTo(10);
  }

  @Test
  void theSeedsKeysHaveTheirNames() {
    List<LimitRule> rules = LimitFeature.Config.defaults().rules();
    LimitFacts facts = LimitWorld.from("203.0.113.9");
    for (String name : List.of("create", "redirect", "login", "register")) {
      LimitRule rule = rules.stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
      assertThat(facts.key(rule, "")).isEqualTo("rl:" + name + ":203.0.113.9");
    }
  }
}
