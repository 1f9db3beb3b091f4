package fairgate.gate.ban;

import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Action;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.RouteLimits;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Refuses banned callers before their request body is read, and calls the next guard for all
/// others.
record BanGuard(
    BanService bans, Function<Request, Future<Optional<String>>> accounts, @Nullable Guard next)
    implements Guard {
  /// Paths without a ban check. Operators must be able to lift a ban on themselves; monitoring
  /// reads health; payment gateways sign their calls; the ban page needs its style sheet; a banned
  /// account can sign out, so that the next person at the same browser is not refused with it; and
  /// everybody can appeal.
  private static final List<String> OPEN =
      List.of(
          "/health/",
          "/metrics",
          "/api/admin/",
          "/api/payments/webhook",
          "/api/v1/logout",
          Decision.APPEAL_PATH,
          "/assets/");

  @Override
  public @Nullable RouteGuard routeGuard(Action action, RouteLimits limits) {
    RouteGuard inner = next == null ? null : next.routeGuard(action, limits);
    return OPEN.stream().anyMatch(action.path()::startsWith) ? inner : new Checked(inner);
  }

  private final class Checked extends Chained {
    Checked(@Nullable RouteGuard inner) {
      super(inner);
    }

    /// Refuses callers that are banned without regard to their account. An account needs a lookup
    /// in Redis, for which [#judge] waits.
    @Override
    public @Nullable Reply enter(Request request) {
      boolean named = !bans.needAccounts() || accounts.apply(request).isComplete();
      Ban ban = named ? ban(request) : null;
      return ban == null ? super.enter(request) : refuse(request, ban);
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      if (!bans.needAccounts()) {
        return super.judge(request);
      }
      Future<Optional<String>> account = accounts.apply(request);
      // A guest has been checked by `enter`.
      return account.succeeded() && account.result().isEmpty()
          ? super.judge(request)
          : account.compose(_ -> named(request));
    }

    private Future<Optional<Reply>> named(Request request) {
      Ban ban = ban(request);
      return ban == null
          ? super.judge(request)
          : Future.succeededFuture(Optional.of(refuse(request, ban)));
    }

    /// An account that was not looked up when the stream opened is looked up now, and known at the
    /// next check.
    @Override
    public boolean mayStay(Request request) {
      if (bans.needAccounts()) {
        var _ = accounts.apply(request);
      }
      return ban(request) == null && super.mayStay(request);
    }

    private @Nullable Ban ban(Request request) {
      return bans.find(request.address(), request::caller).orElse(null);
    }
  }

  /// The reply has the end of the ban, an id for questions about it and the address of the appeal,
  /// but neither its author nor its reason.
  private static Reply refuse(Request request, Ban ban) {
    Refusal banned = Refusal.of(ErrorCode.CLIENT_BANNED);
    Refusal refusal =
        ban.until() == Ban.FOR_EVER ? banned : banned.with("banned_until", ban.until());
    return Reply.refuse(request.decided(refusal, Decisions.Cause.ofBan(Math.max(0, ban.id()))));
  }
}
