package fairgate.gate.policy;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskDecision;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.gate.risk.RiskRoute;
import fairgate.gate.risk.Subjects;
import fairgate.kernel.AuditEvent;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.FreshDatabase;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Nodes with policies on one fresh database, with bundles and decisions for tests.
public final class PolicyWorld implements AutoCloseable {
  private final FreshDatabase books;
  private final GateFixture fixture = new GateFixture();
  private final List<PolicyService> nodes = new ArrayList<>();
  public final List<AuditEvent> audited = new CopyOnWriteArrayList<>();
  public final Metrics metrics = new Metrics();

  public PolicyWorld(TestEngines engines) {
    books = new FreshDatabase(engines);
  }

  FreshDatabase books() {
    return books;
  }

  PolicyService node() {
    PolicyService node =
        PolicyService.open(
            new PolicyService.Dependencies(
                books.database(),
                Clock.systemUTC(),
                fixture.ids,
                nodes.isEmpty() ? metrics : new Metrics(),
                audited::add),
            BuiltInBundle.json());
    nodes.add(node);
    return node;
  }

  /// A rule of a document.
  public static String rule(String code, String when, int points) {
    return """
        {"code": "%s", "when": "%s", "points": %d, "reason": "crowd", \
        "text": {"en": "About %s.", "zh-Hant": "\u95dc\u65bc %s\u3002", "zh-Hans": "\u5173\u4e8e %s\u3002"}}"""
        .formatted(code, when, points, code, code, code);
  }

  /// A document in which every rule is one line.
  public static String document(String name, String... rules) {
    return """
        {"format": 1, "schema": 1, "name": "%s",
         "bands": {
           "low": {"action": "pass"},
           "medium": {"from": 20, "action": "silent_check"},
           "high": {"from": 50, "action": "seat_behind"},
           "severe": {"from": 80, "action": "hold"},
           "critical": {"from": 100, "action": "refuse"}},
         "rules": [
        %s
         ]}
        """
        .formatted(name, String.join(",\n", rules));
  }

  /// Seats those behind who have joined more than ten times from one address.
  public static String usual(String name) {
    return document(name, rule("many_joins", "joins_of_address > 10", 60));
  }

  public static String denyAll() {
    return document("deny all", rule("deny_all", "true", 100));
  }

  public static CompiledBundle compiled(String document) {
    if (CompiledBundle.compile(document)
        instanceof CompiledBundle.Outcome.Accepted(CompiledBundle bundle)) {
      return bundle;
    }
    throw new AssertionError(CompiledBundle.compile(document));
  }

  /// Publishes a document and returns its version.
  static long publish(PolicyService node, String document) {
    RolloutOutcome outcome =
        node.publish(
            new PolicyService.Publication(document, "ann", 0, "a test", Guardrails.defaults()));
    if (outcome instanceof RolloutOutcome.Published(PolicyView view)) {
      return view.version().version();
    }
    throw new AssertionError(outcome);
  }

  /// Features of a buyer.
  public static Features buyer(long joins, long paidOrders) {
    Features.Builder features = Features.builder();
    features.set(features.schema().feature("joins_of_address"), joins);
    features.set(features.schema().feature("paid_orders"), paidOrders);
    return features.build();
  }

  /// Decides as the engine does, and counts the decision on the node.
  static RiskDecision decide(PolicyService node, String subject, Features features) {
    Assessment assessment = RiskEngine.assess(node.bundleFor(() -> subject), features);
    List<Assessment> shadows =
        node.shadows().stream().map(bundle -> RiskEngine.assess(bundle, features)).toList();
    RiskDecision decision =
        new RiskDecision(
            subject,
            0,
            RiskRoute.JOIN,
            "7",
            () -> new Subjects.Hashes(subject, null, "network"),
            features,
            assessment,
            null,
            List.of(),
            shadows,
            true,
            false,
            100);
    node.decided(decision);
    return decision;
  }

  @Override
  public void close() {
    nodes.forEach(PolicyService::close);
    fixture.close();
    books.close();
  }
}
