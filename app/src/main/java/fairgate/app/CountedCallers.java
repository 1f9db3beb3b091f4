package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.limit.LimitFeature.Callers;
import fairgate.operator.access.AccessFeature;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// Tells the limits who is on the allow-list, who is an operator, and who is signed in.
record CountedCallers(BanService bans, AccessFeature access, AccountFeature account)
    implements Callers {
  @Override
  public boolean isAllowed(Request request) {
    return bans.allows(request.address(), request::caller);
  }

  @Override
  public boolean hasOperatorToken(Request request) {
    return access.credentials().hasSharedToken(request);
  }

  @Override
  public Future<Optional<String>> account(Request request) {
    return account.recentAccountOf(request);
  }
}
