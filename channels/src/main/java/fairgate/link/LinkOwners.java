package fairgate.link;

import fairgate.kernel.KeyRing;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/// Says whose links a request is about.
///
/// Links are the account's of who is signed in, on all their devices. Without one a browser is a
/// person: its links are those of its device cookie. Whoever signs in there takes them along.
final class LinkOwners {
  private final Function<Request, Future<Optional<String>>> accounts;
  private final KeyRing keys;
  private final boolean anonymous;
  private final BiConsumer<String, String> adoption;

  /// An owner.
  ///
  /// @param id at most 128 characters; of accounts and of browsers never the same
  /// @param isAccount whether somebody is signed in, who may do more than a stranger
  record Owner(String id, boolean isAccount) {}

  /// @param accounts the id of the account that makes a request
  /// @param anonymous whether a browser without an account may own links
  /// @param adoption gives the links of the first owner to the second; blocks
  LinkOwners(
      Function<Request, Future<Optional<String>>> accounts,
      KeyRing keys,
      boolean anonymous,
      BiConsumer<String, String> adoption) {
    this.accounts = accounts;
    this.keys = keys;
    this.anonymous = anonymous;
    this.adoption = adoption;
  }

  /// Empty when the caller may own none. Blocks; throws ServiceUnavailable when nobody can tell.
  Optional<Owner> of(Request request) {
    if (isForeign(request)) {
      return Optional.empty();
    }
    Optional<String> account = accounts.apply(request).await();
    if (account.isPresent()) {
      Owner owner = new Owner(ofAccount(account.get()), true);
      if (!isProgram(request) && request.returning() != null) {
        adoption.accept(device(request), owner.id());
      }
      return Optional.of(owner);
    }
    return anonymous && !isProgram(request)
        ? Optional.of(new Owner(device(request), false))
        : Optional.empty();
  }

  /// What an account is called as an owner.
  static String ofAccount(String account) {
    return "account:" + account;
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
