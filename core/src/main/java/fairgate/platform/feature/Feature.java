package fairgate.platform.feature;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Role;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.page.PageSettings;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.text.Language;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A feature of the server. Its folder has everything of it: `app` knows its entry only.
///
/// @param routes of its API, its pages and its part of the admin API
/// @param ofAccount its pages that the page of an account links to
/// @param sections its sections of the console
/// @param onAccountClosed gets the id of an account that is being deleted. It may block. If it
///   throws, the account is kept, and a repeat of the deletion calls it again
/// @param starting starts its background work; may block
/// @param closing ends its background work
/// @param service what features that start later may call; null for nothing
public record Feature(
    List<Route> routes,
    List<AccountLink> ofAccount,
    List<ConsoleSection> sections,
    Consumer<String> onAccountClosed,
    Runnable starting,
    Runnable closing,
    @Nullable Object service)
    implements AutoCloseable {
  public Feature {
    routes = List.copyOf(routes);
    ofAccount = List.copyOf(ofAccount);
    sections = List.copyOf(sections);
  }

  /// A feature that no other one calls.
  public Feature(
      List<Route> routes,
      List<AccountLink> ofAccount,
      List<ConsoleSection> sections,
      Consumer<String> onAccountClosed,
      Runnable starting,
      Runnable closing) {
    this(routes, ofAccount, sections, onAccountClosed, starting, closing, null);
  }

  /// The service of this type among those of these features.
  public static <T> Optional<T> service(List<Feature> features, Class<T> type) {
    return features.stream()
        .flatMap(each -> Stream.ofNullable(each.service()))
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }

  /// A page that the page of an account links to.
  ///
  /// @param text the key of its text
  public record AccountLink(String path, String text) {}

  /// A section of the console. Its module is `console-<name>.js`, its title the text
  /// `console.nav.<name>`.
  ///
  /// @param key that opens it after `g`
  /// @param roles that see it
  public record ConsoleSection(String name, String key, List<Role> roles) {
    public ConsoleSection(String name, String key, Role... roles) {
      this(name, key, List.of(roles));
    }
  }

  @Override
  public void close() {
    closing.run();
  }

  /// What every feature may use.
  ///
  /// @param lock holds one request at a time per person or chat
  /// @param dataDir the folder of the server's own files
  /// @param sections the features' own settings, by their type
  public record Infra(
      Vertx vertx,
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics,
      Health health,
      AuditLog audit,
      ProcessingLock lock,
      Path dataDir,
      Site site,
      Map<Class<?>, Record> sections) {
    public Infra {
      sections = Map.copyOf(sections);
    }

    public <S extends Record> S settings(Class<S> type) {
      return type.cast(Objects.requireNonNull(sections.get(type)));
    }
  }

  /// The server as its visitors see it.
  ///
  /// @param baseUrl the public address, without a slash at the end; empty = the address that the
  ///   server listens on
  /// @param signInUrl the public address where accounts sign in; empty = none was set
  /// @param shopUrl the address for links in messages, without a slash at the end; never empty
  /// @param otherUrls its other public addresses; empty ones are ignored
  /// @param isUp whether it runs by `up`, for a trial
  /// @param hasLimits whether rate limits apply
  /// @param language of callers that name none
  public record Site(
      String baseUrl,
      String signInUrl,
      String shopUrl,
      List<String> otherUrls,
      boolean isUp,
      boolean hasLimits,
      Language language,
      PageSettings pages) {
    public Site {
      otherUrls = List.copyOf(otherUrls);
    }
  }
}
