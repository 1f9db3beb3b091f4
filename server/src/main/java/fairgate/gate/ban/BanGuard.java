package fairgate.gate.ban;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Refuses the banned before anything of their request is taken in, and asks the next guard about
/// the rest.
final class BanGuard implements Guard {
  /// Operators have to be able to lift a ban that hit themselves; machines ask for health, and
  /// gateways sign what they say.
  private static final List<String> OPEN =
      List.of("/health/", "/metrics", "/api/admin/", "/api/payments/webhook");

  private final BanService bans;
  private final Ids ids;
  private final @Nullable Guard next;

  BanGuard(BanService bans, Ids ids, @Nullable Guard next) {
    this.bans = bans;
    this.ids = ids;
    this.next = next;
  }

  @Override
  public @Nullable Watch watch(Method method, String path) {
    Watch inner = next == null ? null : next.watch(method, path);
    return OPEN.stream().anyMatch(path::startsWith) ? inner : new Checked(inner);
  }

  private final class Checked implements Watch {
    private final @Nullable Watch inner;

    Checked(@Nullable Watch inner) {
      this.inner = inner;
    }

    @Override
    public @Nullable Reply enter(Request request) {
      Ban ban = bans.find(request.address(), request::caller).orElse(null);
      if (ban != null) {
        return refuse(ban);
      }
      return inner == null ? null : inner.enter(request);
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      return inner == null ? PASS : inner.judge(request);
    }

    @Override
    public void left(Request request) {
      if (inner != null) {
        inner.left(request);
      }
    }
  }

  /// Says when it ends and by which number to ask about it; neither who nor why.
  private Reply refuse(Ban ban) {
    Refusal refusal = Refusal.of(ErrorCode.CLIENT_BANNED).with("decision_id", ids.nonce());
    return Reply.refuse(
        ban.until() == Ban.FOR_EVER ? refusal : refusal.with("banned_until", ban.until()));
  }
}
