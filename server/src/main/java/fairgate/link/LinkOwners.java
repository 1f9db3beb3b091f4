package fairgate.link;

import fairgate.kernel.KeyRing;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Function;

/// Says whose links a request is about.
///
/// Links are the account's of who is signed in, on all their devices. Without one a browser is a
/// person: its links are those of its device cookie, and stay so when somebody signs in there.
final class LinkOwners {
  private final Function<Request, Future<Optional<String>>> accounts;
  private final KeyRing keys;
  private final boolean anonymous;

  /// An owner.
  ///
  /// @param id at most 128 characters; of accounts and of browsers never the same
  /// @param isAccount whether somebody is signed in, who may do more than a stranger
  record Owner(String id, boolean isAccount) {}

  /// @param accounts the id of the account that makes a request
  /// @param anonymous whether a browser without an account may own links
  LinkOwners(
      Function<Request, Future<Optional<String>>> accounts, KeyRing keys, boolean anonymous) {
    this.accounts = accounts;
    this.keys = keys;
    this.anonymous = anonymous;
  }

  /// Empty when the caller may own none. Blocks; throws ServiceUnavailable when nobody can tell.
  Optional<Owner> of(Request request) {
    if (isForeign(request)) {
      return Optional.empty();
    }
    Optional<String> account = accounts.apply(request).await();
    if (account.isPresent()) {
      return account.map(id -> new Owner("account:" + id, true));
    }
    return anonymous && !isProgram(request)
        ? Optional.of(new Owner(device(request), false))
        : Optional.empty();
  }

  /// Whether a page of another site made the browser ask, in its owner's name.
  private static boolean isForeign(Request request) {
    String site = request.header("sec-fetch-site");
    return site != null && !site.equals("same-origin") && !site.equals("none");
  }

  /// Whose token has ended is told so, instead of making links that nobody will find again.
  private static boolean isProgram(Request request) {
    return request.header("authorization") != null;
  }

  private String device(Request request) {
    return "device:" + keys.fingerprint("link-owner", request.device().id().value());
  }
}
