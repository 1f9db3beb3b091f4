package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.Semantics;
import java.util.stream.Collectors;

/// Generates the reference page of all limits, `docs/operate/limits.md`.
final class LimitReference {
  private static final String HEAD =
      """
      # Limits

      Generated from `LimitDefaults` and `LimitTable` by `LimitTableTest`; edit those, not this page.

      Rate limits of all routes. `limits: off` disables them, for load tests; `serve` then refuses to start. Each limit is a
      setting: `limit.` and its name.

      ```yaml
      limit:
        ip: 20/s burst 40      # calls per s, m, h, d, or a number of these; burst: calls at once, by default all of them
        join: 5/60s window     # at most 5 in any 60 seconds, exactly
        network: off
        redirect: 100/m open   # open, closed or local-share: the policy while Redis does not answer
      ```

      A **rate** admits `burst` calls at once, then single calls at the rate: in any time t at most burst + t x rate. A
      **window** admits at most that many calls in any period of that length, exactly; it stores the time of each call (7
      bytes). A call counts in all of its limits, or, if it is refused, in none. Times are those of Redis, not of the nodes.
      Redis counts for all nodes together, so a further node changes no limit.

      **Refusals.** A refusal is a 429 with `Retry-After` (rounded up, with jitter), with `RateLimit-Policy` and `RateLimit`
      (IETF draft) for each exceeded limit, and with `violated_policies` and `decision_id` in the body. For up to a quarter of
      a second, further calls from the same address and account to the same route get the same reply.

      **Addresses and persons.** An IPv6 address counts as its /56. A person is a browser with our cookie; a browser without
      it counts by its address only. So `join_new` allows an address three joins a minute without the cookie, as `join` allows
      a browser with it; a refusal has the `reason` `no_cookie`. Pages get the cookie before they join. Programs keep it, or
      sign their requests. Behind a proxy that is not trusted, the address is the proxy's, and all visitors share one limit.

      **Many people behind one address**, such as a campus or a carrier's NAT:

      - Signed-in callers count in `ip` and `page` by account, at every address, and not with the guests there.
      - A node remembers the account of a session for a minute. A made-up or ended session counts by address, and so does a
        session that cannot be checked.
      - `network` counts both.
      - A caller on the allow-list (`POST /api/admin/bans` with `effect: allow`) counts in no limit by address, account or
        address, network or provider, also not in those of logins and registrations. Limits by person, browser and place
        remain.

      **Waiting rooms.** Calls of `/q/{room}/here`, `/leave`, `/enter` and `/pass` with a genuine place token or turn count by
      ticket in `ip`, in `page` and as running requests. They do not count in `network` and `asn`. So others at the address or
      in the network cannot keep a visitor out whose turn has come, and 301 people behind one carrier do not slow each other.

      - The tickets of a network are limited where they are issued: by the room's `places_per_network` and its challenge.
        `join` counts in `network` and `asn`.
      - The place token is read from the header `X-Fairgate-Place`, or from the cookie of pages without JavaScript. A token in
        a body is read too late, and the call counts by address.
      - Made-up tokens count by address, and cost the server one hash.

      **Outages.** A call that is answered with 503 does not count in limits of more than a second, so an outage uses up
      nobody's joins or logins. Counted calls are given back as soon as Redis answers. Other nodes may refuse for up to ten
      more seconds, because they cache refusals. Exceptions:

      - Calls in limits of at most a second, and in `global` and `route`, stay counted. These limits protect the server during
        the outage, and expire before a client that respects `Retry-After` comes back.
      - A nonce stays used.

      While Redis does not answer within `limit.budget_ms`, the policy of the limit decides:

      | policy | calls that are admitted |
      |---|---|
      | `open` | all |
      | `closed` | none (503) |
      | `local-share` | a share on each node: the limit divided by the number of nodes alive, at least one call |

      `fairgate_limit_degraded_total` counts these decisions, and `/health/ready` reports `limits` as degraded.

      **Busy machines.** A check is one script run in Redis. The table shows the share of checks that took longer than a
      timeout, on two busy cores. The rows differ by the number of endless loops on the same machine:

      | loops | 25 ms | 50 ms | 100 ms | 250 ms | 500 ms | 1 s |
      |---|---|---|---|---|---|---|
      | 0 (load 13) | 4.2 % | 1.6 % | 0.8 % | 0 | 0 | 0 |
      | 4 more | 19 % | 10 % | 5.7 % | 0.9 % | 0.3 % | 0 |
      | 16 more | 69 % | 49 % | 36 % | 17 % | 3.9 % | 1.3 % |

      Therefore the timeout is 250 ms, and no limit is `closed` by default: a buyer whose turn has come can buy. Calls beyond a
      limit cannot sell a unit twice, because the purchase script decides, and nobody can buy without Redis. A shorter
      timeout sheds load earlier. After five late checks in a row, within at least a tenth of a second, calls no longer wait.

      ## Every limit

      Keys begin with `rl:` and the limit's name, as in `rl:login:203.0.113.9`; see [redis-keys.md](../redis-keys.md).

      """;

  private static final String SLOTS =
      """

      In addition, each node allows an address `limit.concurrent` (10) running requests and `limit.streams` (10) open event
      streams. A signed-in caller that the node has seen in the last minute counts by account. Callers on the allow-list and
      calls of the admin API with `FAIRGATE_OPERATOR_TOKEN` do not count, nor does `/metrics`: operators can look while calls
      hang. These two protect the connections and handlers of a node, so each node counts them in its own memory. This
      needs no call to Redis, works during an outage, and leaves nothing counted when a node fails.

      ## Every route

      A page's form (`POST /p/{id}/buy`) counts as the API route with the same effect (`POST /api/purchase`).

      - `/health/*` and `/assets/*` have no limits: load balancers must not be refused, and both are answered from memory,
        which costs less than a limit.
      - `/metrics` and `/docs` are limited like pages, `/metrics` without a limit of running requests.
      - Webhooks are signed and come in bursts from few addresses, so they have a limit of their own.
      - `route`, `asn`, `user`, `device` and `session` are off by default.
      - Claims of orders have further limits, `redeem.claims_per_minute` and others ([redeem.md](../redeem.md)), for the API,
        the page and the chat together. They give back claims that an outage left undecided.

      """;

  private LimitReference() {}

  static String markdown() {
    return HEAD
        + "| limit | counts by | default | while Redis does not answer | what it counts |\n"
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
