package fairgate.account.identity;

import fairgate.account.AccountFeature;
import fairgate.account.Budgets;
import fairgate.account.Bulkhead;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageFeature;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Verified identity, wired.
///
/// @param recovery empty when no channel has a sending service
/// @param joinCodes empty when no channel has a sending service
/// @param numbers whether identity numbers can be verified
public record IdentityFeature(
    IdentityService service,
    boolean numbers,
    Optional<PasswordRecovery> recovery,
    Optional<JoinCodes> joinCodes,
    MessageFeature messages,
    List<Route> routes) {
  private static final int PLACES = 32;
  private static final Duration COME_BACK = Duration.ofSeconds(2);

  public IdentityFeature {
    routes = List.copyOf(routes);
  }

  /// The dependencies.
  ///
  /// @param products whether a product with this id exists
  /// @param resetChallenge the challenge before a code for a new password
  public record Dependencies(
      AccountFeature accounts,
      MessageFeature messages,
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Predicate<ProductId> products,
      PasswordRecovery.Challenge resetChallenge) {}

  /// For development: takes every name for the right one. `serve` refuses it.
  public static PersonRegister credulous() {
    return (_, _) -> PersonRegister.NameCheck.MATCHES;
  }

  /// A register that is called by signed HTTP.
  ///
  /// @param secrets `whsec_` and base64, the newest first
  public static PersonRegister webhook(String url, List<String> secrets, Ids ids, Clock clock) {
    return WebhookRegister.at(url, secrets, ids, clock);
  }

  /// Wires the feature.
  ///
  /// @param register empty = identity numbers are not verified
  public static IdentityFeature wire(Optional<PersonRegister> register, Dependencies parts) {
    Budgets budgets = parts.accounts().budgets();
    Set<Channel> channels = parts.messages().channels();
    OneTimeCodes codes = new OneTimeCodes(parts.redis(), parts.keys(), new SecureRandom());
    PostgresIdentities identities = new PostgresIdentities(parts.postgres());
    CodeSender.Parts shared =
        new CodeSender.Parts(budgets, parts.keys(), parts.ids(), parts.clock());
    CodeSender sender =
        new CodeSender(codes, parts.messages().outbox(), parts.messages().limits(), shared);
    IdentityService service =
        new IdentityService(
            register.orElse((_, _) -> PersonRegister.NameCheck.UNKNOWN),
            sender,
            codes,
            identities,
            shared);
    PasswordRecovery recovery =
        new PasswordRecovery(
            sender,
            codes,
            identities,
            parts.accounts().credentials(),
            shared,
            channels,
            parts.resetChallenge());
    Bulkhead bulkhead = new Bulkhead("identity", PLACES, COME_BACK);
    IdentityRoutes routes =
        new IdentityRoutes(service, parts.accounts().signIn(), bulkhead, parts.products());
    return new IdentityFeature(
        service,
        register.isPresent(),
        channels.isEmpty() ? Optional.empty() : Optional.of(recovery),
        channels.isEmpty()
            ? Optional.empty()
            : Optional.of(new JoinCodes(sender, codes, shared, parts.messages())),
        parts.messages(),
        Stream.of(
                routes.routes(channels, register.isPresent()),
                channels.isEmpty()
                    ? List.<Route>of()
                    : new RecoveryRoutes(recovery, bulkhead).routes())
            .flatMap(List::stream)
            .toList());
  }

  public void start() {
    messages.start();
  }
}
