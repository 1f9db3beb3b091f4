package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.Semantics;
import java.util.stream.Collectors;

/// The reference page of all limits, `docs/operate/limits.md`, made from the tables.
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

      A **rate** lets `burst` calls pass at once, then one after the other; in any time t at most burst + t x rate. A
      **window** lets at most so many pass in any such time, exactly, and remembers each of them (7 bytes). What is refused
      counts in no limit: a call passes all of its limits or uses none. The time is that of Redis, whatever the nodes' clocks.

      A node that is the only one counts rates that are over within a second (as they come all rates are) in its own memory, by its own clock,
      which costs Redis nothing; as soon as another comes, Redis counts for both, and what was counted goes with it
      ([adr/0026](../adr/0026-alone.md)). Nothing has to be set for it. `fairgate_limit_decisions_total{by="node"}` are those calls, and
      `rl:alone` in Redis names the node. One that joins waits for the other to let go before it is ready, a second and a half at most.

      While Redis does not answer within `limit.budget_ms`: **open** lets all pass, **closed** none (503), **local-share** lets
      each node pass its part, the limit by the number of nodes alive. Such decisions are counted in
      `fairgate_limit_degraded_total`, and `/health/ready` says `limits` is degraded.

      An address is counted as IPv4, or as the /56 an IPv6 address lies in. A person is the browser that brings our
      cookie; who brings none is somebody new each time, held by the address alone. Behind a proxy the address is the
      proxy's unless it is trusted: then all visitors share one limit.

      A refusal is 429 with `Retry-After` (rounded up, and spread), `RateLimit-Policy` and `RateLimit` of the IETF's draft for
      each limit in the way, and `violated_policies` and `decision_id` in the body. One decision is told to all calls it
      meets: for up to a quarter of a second an address gets the same from a route.

      ## Every limit

      Keys begin with `rl:` and the limit's name, as in `rl:login:203.0.113.9`; [redis-keys.md](../redis-keys.md) has them all.

      """;

  private static final String SLOTS =
      """

      Besides, an address may have `limit.concurrent` (10) requests running and `limit.streams` (10) event streams open, on each
      node: what this protects, connections and running handlers, is the node's own, so it is counted in its memory, costs
      no call to Redis, holds while Redis is away, and a node that dies leaves nothing counted.

      ## Every route

      `/health/*` and `/assets/*` have no limits: balancers must never be refused, and both are answered from memory, for less
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
    String amount =
        rule.most() + " per " + (rule.seconds() == 1 ? "second" : rule.seconds() + " s");
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
        switch (row.slots()) {
          case NONE -> "";
          case REQUESTS -> "counted";
          case STREAMS -> "as a stream";
        };
    return "| `" + row.route() + "` | " + limits + " | " + running + " |\n";
  }
}
