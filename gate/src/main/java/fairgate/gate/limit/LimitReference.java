package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.Semantics;
import java.util.stream.Collectors;

/// Generates the reference page of all limits, `docs/operate/limits.md`.
final class LimitReference {
  private static final String HEAD =
      """
      # Limits

      Made from `LimitDefaults` and `LimitTable` by `LimitTableTest`; edit those, not this page.

      How often what may be asked. Turn all of it off with `limits: off` (for load tests; `serve` refuses to start
      then). Each limit is a setting, `limit.` and its name:

      ```yaml
      limit:
        ip: 20/s burst 40      # calls in a time (s, m, h, d, or a number of them); burst: at once, by default all
        join: 5/60s window     # at most 5 in any 60 seconds, exactly
        network: off
        redirect: 100/m open   # open, closed, local-share: while Redis does not answer
      ```

      A **rate** admits `burst` calls at once, then one at a time; in any time t at most burst + t x rate. A **window** admits
      at most that many calls in any such time, exactly, and stores the time of each (7 bytes). A refused call counts in no
      limit: a call uses all of its limits or none. The time is that of Redis, whatever the nodes' clocks say. Redis counts
      for one node as for many, so a second node changes no limit.

      A call that is answered 503 counts in no limit that lasts longer than a second: an outage uses up nobody's joins or
      logins. As soon as Redis answers, counted calls are given back; another node may go on refusing for up to ten seconds
      by its cache. Limits that last at most a second stay counted, and so do `global` and `route`: they hold off a flood
      during the outage, and expire before a client that respects `Retry-After` returns. A nonce stays used.

      While Redis does not answer within `limit.budget_ms`, **open** admits all calls, **closed** none (503), and
      **local-share** lets each node admit its share: the limit divided by the number of nodes alive, at least one call.
      `fairgate_limit_degraded_total` counts these decisions, and `/health/ready` reports `limits` as degraded.

      **Busy machines.** A check takes a script run of Redis. On two cores with other work, this share of checks took longer
      than the budget, by the number of endless loops beside it:

      | loops | 25 ms | 50 ms | 100 ms | 250 ms | 500 ms | 1 s |
      |---|---|---|---|---|---|---|
      | 0 (load 13) | 4.2 % | 1.6 % | 0.8 % | 0 | 0 | 0 |
      | 4 more | 19 % | 10 % | 5.7 % | 0.9 % | 0.3 % | 0 |
      | 16 more | 69 % | 49 % | 36 % | 17 % | 3.9 % | 1.3 % |

      Therefore the budget is 250 ms, and no limit that is on by default is `closed`: a buyer whose turn has come can buy. An
      excess call cannot sell a unit twice, because the purchase is one script, and nobody can buy without Redis. A shorter
      budget only sheds load earlier. After five late checks in a row over a tenth of a second, calls no longer wait.

      An IPv6 address counts as its /56. A person is a browser with our cookie; a browser without it counts by its address
      only. Behind a proxy that is not trusted, the address is the proxy's, and all visitors share one limit.

      A refusal is 429 with `Retry-After` (rounded up, with jitter), `RateLimit-Policy` and `RateLimit` of the IETF draft for
      each limit in the way, and `violated_policies` and `decision_id` in the body. For up to a quarter of a second, all
      calls of an address to one route get the same reply.

      ## Every limit

      Keys begin with `rl:` and the limit's name, as in `rl:login:203.0.113.9`; [redis-keys.md](../redis-keys.md) has them all.

      """;

  private static final String SLOTS =
      """

      Besides, an address may have `limit.concurrent` (10) requests running and `limit.streams` (10) event streams open, on each
      node: what this protects, connections and running handlers, is the node's own, so it is counted in its memory, costs
      no call to Redis, holds while Redis is away, and a node that dies leaves nothing counted.

      ## Every route

      A form of a page (`POST /p/{id}/buy`) stands for the API's route that does the same (`POST /api/purchase`): it has that
      route's limits and counts in them. `/health/*` and `/assets/*` have no limits: balancers must never be refused, and both are answered from memory, for less
      than a limit costs. `/metrics` and `/docs` are work, and limited like pages. Webhooks are signed and come from few
      addresses in bursts, so they have a limit of their own. `route`, `asn`, `user`, `device` and `session` apply once they are set.
      Claims of orders are counted besides, by `redeem.claims_per_minute` and its neighbours ([redeem.md](../redeem.md)), however they
      come: API, page or chat. What an outage leaves undecided is given back there, which a limit of a route cannot do.

      """;

  private LimitReference() {}

  static String markdown() {
    return HEAD
        + "| limit | counts by | default | while Redis does not answer | what it limits |\n"
        + "|---|---|---|---|---|\n"
        + LimitDefaults.ALL.stream().map(LimitReference::limit).collect(Collectors.joining())
        + SLOTS
        + "| route | limits | running |\n|---|---|---|\n"
        + LimitTable.ROWS.stream().map(LimitReference::route).collect(Collectors.joining());
  }

  private static String limit(LimitDefaults.Entry entry) {
    LimitRule rule = entry.rule();
    String amount = rule.max() + " per " + (rule.seconds() == 1 ? "second" : rule.seconds() + " s");
    String how = rule.semantics() == Semantics.WINDOW ? "window" : "rate";
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            rule.name(),
            rule.dimension().word(),
            entry.on() ? amount + ", " + how : "off",
            rule.onFailure().word(),
            entry.doc());
  }

  private static String route(LimitTable.Row row) {
    String limits =
        row.limits().isEmpty()
            ? "none"
            : row.limits().stream().map(name -> "`" + name + "`").collect(Collectors.joining(" "));
    String running =
        switch (row.concurrency()) {
          case NONE -> "";
          case REQUESTS -> "counted";
          case STREAMS -> "as a stream";
        };
    return "| `" + row.route() + "` | " + limits + " | " + running + " |\n";
  }
}
