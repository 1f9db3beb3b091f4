package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/// Files the appeals of a crowd at the end of a run, as a browser without JavaScript does, and
/// looks whether the server has them with the reasons of the decision.
final class Appeals {
  private static final String TEXT =
      "I am a person who wants to buy one unit. Please look at the decision.";

  /// Of people who are not honest, so many appeal for each kind of decision.
  private static final int SAMPLE = 3;

  /// Of honest people: the server takes 30 appeals an hour from one network.
  private static final int HONEST_SAMPLE = 20;

  /// A decision is written within a moment.
  private static final int LOOKS = 40;

  private static final long LOOK_NANOS = 250_000_000;
  private static final int PAGE = 500;

  private final ZooServer server;
  private final ShopClient operator;

  Appeals(ZooServer server, ShopClient operator) {
    this.server = server;
    this.operator = operator;
  }

  /// The appeals of a crowd.
  ///
  /// @param filed how many were sent
  /// @param problems appeals that were not accepted or whose record has no rule, and refusals
  ///   without a way to appeal, as text
  record Filed(int filed, List<String> problems) {
    static final Filed NONE = new Filed(0, List.of());
  }

  /// Files the appeals of people; blocks.
  ///
  /// @param crowd of which a sample appeals
  Filed file(List<Attendee> people, NamedCrowd crowd) {
    // A person has one open appeal for each kind of decision.
    int sample = crowd.honest() ? HONEST_SAMPLE : Math.min(SAMPLE, crowd.addresses());
    List<String> problems = new ArrayList<>();
    Map<String, Integer> counts = new HashMap<>();
    Set<String> decisions = new HashSet<>();
    for (Attendee one : people) {
      one.attendance().refusalsWithoutAppeal().forEach(code -> problems.add(code + ": no appeal"));
      one.attendance()
          .appeals()
          .forEach(
              (what, url) -> {
                if (counts.merge(what, 1, Integer::sum) <= sample) {
                  int status = file(one.browser(), url);
                  decisions.add(url.substring(url.lastIndexOf('/') + 1));
                  if (status != 201) {
                    problems.add(what + ": appeal answered with " + status);
                  }
                }
              });
    }
    if (problems.isEmpty()) {
      problems.addAll(unexplained(decisions));
    }
    return new Filed(decisions.size(), problems);
  }

  private int file(Browser browser, String url) {
    int page = patiently(() -> browser.get(Call.APPEAL, url, Map.of()), status -> status == 200);
    return page == 200
        ? patiently(
            () -> browser.form(Call.APPEAL, url, "text", TEXT),
            status -> status != 0 && status != 429)
        : page;
  }

  /// The status of a call that is repeated until it is good, within ten seconds or so.
  private static int patiently(Supplier<Future<Answer>> call, IntPredicate isGood) {
    int status = 0;
    for (int i = 0; i < LOOKS && !isGood.test(status); i++) {
      if (i > 0) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      status = ZooServer.await(call.get()).status();
    }
    return status;
  }

  /// The decisions that the operator does not find with a rule.
  private List<String> unexplained(Set<String> decisions) {
    Set<String> missing = new HashSet<>(decisions);
    Answer list = server.admin(operator, "GET", "/appeals?limit=" + PAGE);
    for (JsonNode appeal : list.body().path("appeals")) {
      if (!appeal.path("rules").isEmpty()) {
        missing.remove(appeal.path("decision_id").asText());
      }
    }
    return missing.stream().map(decision -> decision + ": not on file with a rule").toList();
  }
}
