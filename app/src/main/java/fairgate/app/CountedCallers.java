package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.limit.Callers;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// Tells the limits who is on the allow-list and who is signed in.
record CountedCallers(BanService bans, AccountFeature account) implements Callers {
  @Override
  public boolean isAllowed(Request request) {
    return bans.allows(request.address(), request::caller);
  }

  @Override
  public Future<Optional<String>> account(Request request) {
    return account.recentAccountOf(request);
  }
}
