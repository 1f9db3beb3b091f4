package fairgate.account.oidc;

import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import fairgate.kernel.CircuitBreaker;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata document of one provider (OpenID Connect Discovery 1.0), cached for an hour. While
/// the provider is away, the last document is used for a day.
final class ProviderMetadata {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderMetadata.class);
  private static final String PATH = "/.well-known/openid-configuration";
  private static final Duration FRESH = Duration.ofHours(1);
  private static final Duration USABLE = Duration.ofDays(1);
  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final int FAILURES = 2;

  /// How long keys are cached. A token with an unknown key is a reason to fetch them sooner, at
  /// most twice in 30 seconds.
  private static final Duration KEYS_FRESH = Duration.ofMinutes(15);

  private final String issuer;
  private final OidcHttp http;
  private final Duration timeout;
  private final LongSupplier nanos;
  private final CircuitBreaker breaker;
  private final ReentrantLock loading = new ReentrantLock();
  private volatile @Nullable Document known;

  /// @param timeout of one HTTP call
  /// @param nanos a clock that never steps back
  ProviderMetadata(String issuer, OidcHttp http, Duration timeout, LongSupplier nanos) {
    this.issuer = issuer;
    this.http = http;
    this.timeout = timeout;
    this.nanos = nanos;
    this.breaker = new CircuitBreaker(FAILURES, PAUSE, nanos);
  }

  /// A document that names this issuer.
  ///
  /// @param keys the provider's signing keys, cached
  record Document(
      URI authorization,
      URI token,
      List<ClientAuthenticationMethod> authentication,
      boolean issuerInResponse,
      JWKSource<SecurityContext> keys,
      long loadedNanos) {}

  /// The document. Blocks for two timeouts at most. Throws IOException when there is none: the
  /// provider does not answer, or what it answers is not its document.
  Document get() throws IOException {
    Document cached = known;
    if (cached != null && isYounger(cached, FRESH)) {
      return cached;
    }
    try {
      return load();
    } catch (IOException e) {
      if (cached != null && isYounger(cached, USABLE)) {
        return cached;
      }
      throw e;
    }
  }

  private boolean isYounger(Document document, Duration age) {
    return nanos.getAsLong() - document.loadedNanos() < age.toNanos();
  }

  private Document load() throws IOException {
    try {
      if (!loading.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("another request is still loading the metadata");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    try {
      Document cached = known;
      if (cached != null && isYounger(cached, FRESH)) {
        return cached;
      }
      if (!breaker.allows()) {
        throw new IOException("calls are suspended after failures");
      }
      Document loaded = fetch();
      boolean _ = breaker.succeeded();
      known = loaded;
      return loaded;
    } catch (IOException e) {
      if (breaker.failed()) {
        LOG.warn("Could not load provider metadata; issuer={} reason={}", issuer, e.getMessage());
      }
      throw e;
    } finally {
      loading.unlock();
    }
  }

  private Document fetch() throws IOException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    try {
      OIDCProviderMetadata metadata = OIDCProviderMetadata.parse(http.get(URI.create(base + PATH)));
      // A document of another issuer must not choose where codes and secrets are sent.
      if (!metadata.getIssuer().getValue().equals(issuer)) {
        throw new IOException("the metadata names another issuer");
      }
      List<ClientAuthenticationMethod> methods = metadata.getTokenEndpointAuthMethods();
      return new Document(
          safe(metadata.getAuthorizationEndpointURI()),
          safe(metadata.getTokenEndpointURI()),
          methods == null ? List.of() : List.copyOf(methods),
          metadata.supportsAuthorizationResponseIssuerParam(),
          keys(safe(metadata.getJWKSetURI())),
          nanos.getAsLong());
    } catch (ParseException e) {
      throw new IOException("the metadata is invalid: " + e.getMessage(), e);
    }
  }

  /// Throws unless the address is as safe as the issuer's: https, where the issuer has it.
  private URI safe(@Nullable URI uri) throws IOException {
    boolean secure = uri != null && "https".equals(uri.getScheme());
    boolean local = uri != null && issuer.startsWith("http://") && "http".equals(uri.getScheme());
    if (uri == null || (!secure && !local)) {
      throw new IOException("the metadata lacks an https address");
    }
    return uri;
  }

  private JWKSource<SecurityContext> keys(URI uri) throws MalformedURLException {
    return JWKSourceBuilder.create(uri.toURL(), http)
        .cache(KEYS_FRESH.toMillis(), timeout.toMillis())
        .refreshAheadCache(false)
        .rateLimited(true)
        .retrying(false)
        .build();
  }
}
