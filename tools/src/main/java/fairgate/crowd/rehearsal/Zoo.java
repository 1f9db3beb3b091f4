package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.ShopClient;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs the crowds of the attack zoo one after the other, each in a sale of its own together with
/// honest people, and compares the results with the contract.
public final class Zoo {
  /// People of the sale that warms up the server.
  private static final int WARM_UP = 40;

  /// The honest visitors come to every sale, and by default the server accepts three joins a minute
  /// of one address or account. So a run begins at the earliest so long after the third before it.
  private static final long THREE_RUNS_NANOS = 75_000_000_000L;

  private static final int JOINS_A_MINUTE = 3;

  private final Vertx vertx;
  private final ZooServer server;
  private final ZooPlan plan;
  private final Consumer<String> progress;
  private final Map<String, CrowdRun.Result> runsAlone = new HashMap<>();
  private final Map<BuyerIdentity, String> notJudged = new EnumMap<>(BuyerIdentity.class);
  private @Nullable ZooAccounts accounts;
  private final Deque<Long> lastRuns = new ArrayDeque<>();

  private Zoo(Vertx vertx, ZooServer server, ZooPlan plan, Consumer<String> progress) {
    this.vertx = vertx;
    this.server = server;
    this.plan = plan;
    this.progress = progress;
  }

  /// Runs to the end; blocks. Throws IllegalStateException, with a text for the operator, when the
  /// server cannot be used for it.
  ///
  /// @param progress gets one line for each run
  public static ZooResult run(
      Vertx vertx, ZooServer server, ZooPlan plan, Consumer<String> progress) {
    return new Zoo(vertx, server, plan, progress).run();
  }

  private ZooResult run() {
    Set<String> known;
    try (ShopClient operator = server.operator(vertx)) {
      known = server.policyFields(operator);
    }
    if (server.isOwn()) {
      warmUp();
    }
    List<CrowdResult> results = new ArrayList<>();
    for (BuyerIdentity identity : BuyerIdentity.values()) {
      if (isPossible(identity, known)) {
        plan.chosen().stream()
            .filter(crowd -> identity == BuyerIdentity.DEVICE || hasLine(crowd, identity))
            .forEach(crowd -> results.add(run(crowd, identity, known)));
      }
    }
    return new ZooResult(plan, server, results, notJudged);
  }

  /// The first calls of a server that has just started are slow.
  private void warmUp() {
    progress.accept("warming up ...");
    CrowdSale sale = CrowdSale.flash(WARM_UP);
    NamedCrowd people = NamedCrowd.honestVisitors(WARM_UP, sale);
    CrowdRun.Result _ =
        run(
            new CrowdRun(vertx, server, sale, CrowdSale.parsed(sale.policy())),
            List.of(new CrowdRun.Party(people, WARM_UP, List.of(), 1)));
  }

  private boolean isPossible(BuyerIdentity identity, Set<String> known) {
    if (identity == BuyerIdentity.DEVICE) {
      return true;
    }
    if (!known.contains("identity")) {
      notJudged.put(identity, "the server has no identity policy");
    } else if (server.codes().isEmpty()) {
      notJudged.put(identity, "one-time codes are read on a server of its own only");
    } else {
      accounts = new ZooAccounts(vertx, server, server.codes().get());
      return true;
    }
    return false;
  }

  private static boolean hasLine(NamedCrowd crowd, BuyerIdentity identity) {
    return Bound.ALL.stream()
        .anyMatch(bound -> bound.crowd() == crowd.letter() && bound.identity() == identity);
  }

  private CrowdResult run(NamedCrowd crowd, BuyerIdentity identity, Set<String> known) {
    ObjectNode policy = crowd.sale().policy(identity, known, plan.policy());
    CrowdRun.Party honest =
        new CrowdRun.Party(
            NamedCrowd.honestVisitors(plan.honest(), crowd.sale()),
            plan.honest(),
            tokens(identity, 0, plan.honest()),
            1);
    int people = plan.people(crowd);
    int numbers = Math.min(people, crowd.numbers());
    CrowdRun.Party attackers =
        new CrowdRun.Party(
            crowd, people, tokens(identity, plan.honest(), plan.honest() + numbers), plan.scale());
    CrowdRun.Result alone = alone(crowd, policy, honest);
    progress.accept(
        String.format(
            Locale.ROOT,
            "(%c) %s, identity %s: %,d people and %,d honest visitors ...",
            crowd.letter(),
            crowd.title(),
            identity.word(),
            people,
            plan.honest()));
    CrowdRun run = new CrowdRun(vertx, server, crowd.sale(), policy);
    List<CrowdRun.Party> parties = List.of(honest, attackers);
    CrowdRun.Result attack =
        needsAllowList(crowd, identity) ? runAllowed(run, parties) : run(run, parties);
    return new CrowdResult(
        crowd, identity, attack, alone, identity == BuyerIdentity.PHONE ? numbers : 0);
  }

  private CrowdRun.Result run(CrowdRun run, List<CrowdRun.Party> parties) {
    if (lastRuns.size() == JOINS_A_MINUTE) {
      long begins = lastRuns.removeFirst() + THREE_RUNS_NANOS;
      for (long left = begins - System.nanoTime(); left > 0; left = begins - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
    lastRuns.addLast(System.nanoTime());
    return run.run(parties);
  }

  /// Runs while `SHARED_ADDRESS` is on the allow-list.
  private CrowdRun.Result runAllowed(CrowdRun run, List<CrowdRun.Party> parties) {
    try (ShopClient operator = server.operator(vertx)) {
      long entry = server.allow(operator, NamedCrowd.SHARED_ADDRESS);
      try {
        return run(run, parties);
      } finally {
        server.endAllowance(operator, entry);
      }
    }
  }

  private static boolean needsAllowList(NamedCrowd crowd, BuyerIdentity identity) {
    return Bound.ALL.stream()
        .anyMatch(
            bound ->
                bound.crowd() == crowd.letter()
                    && bound.identity() == identity
                    && bound.needsAllowList());
  }

  /// The run without an attack; sales with one policy share it, because they have units for all.
  private CrowdRun.Result alone(NamedCrowd crowd, ObjectNode policy, CrowdRun.Party honest) {
    return runsAlone.computeIfAbsent(
        policy.toString(),
        _ -> {
          progress.accept(
              String.format(
                  Locale.ROOT, "%,d honest visitors alone: %s ...", honest.people(), policy));
          return run(new CrowdRun(vertx, server, crowd.sale(), policy), List.of(honest));
        });
  }

  private List<String> tokens(BuyerIdentity identity, int from, int to) {
    ZooAccounts all = accounts;
    return identity == BuyerIdentity.DEVICE || all == null ? List.of() : all.range(from, to);
  }
}
