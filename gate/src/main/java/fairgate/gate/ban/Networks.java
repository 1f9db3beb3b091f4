package fairgate.gate.ban;

import com.maxmind.db.Reader;
import fairgate.kernel.ClientAddress;
import fairgate.platform.run.PeriodicJob;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up the properties of an address in the operator's files. Everything is unknown without
/// them. A lookup never blocks and never fails.
///
/// Autonomous systems: GeoLite2 ASN, DB-IP ASN Lite and similar files (`autonomous_system_number`),
/// or IPinfo's (`asn`, `type`). Countries: GeoLite2 Country or City, DB-IP Lite
/// (`country.iso_code`), or IPinfo's (`country`, `country_code`). Anonymous networks: GeoIP2
/// Anonymous IP (`is_anonymous_vpn`, `is_hosting_provider`, ...) or IPinfo's privacy file (`proxy`,
/// `vpn`, `tor`, `relay`, `hosting`).
public final class Networks implements AutoCloseable {
  private static final List<String> PROXY =
      List.of("is_public_proxy", "is_residential_proxy", "proxy");
  private static final List<String> VPN = List.of("is_anonymous_vpn", "vpn", "relay");
  private static final List<String> TOR = List.of("is_tor_exit_node", "tor");
  private static final List<String> HOSTING = List.of("is_hosting_provider", "hosting");

  private final Config config;
  private final AddressDatabase asns;
  private final AddressDatabase countries;
  private final AddressDatabase anonymous;

  private Networks(Config config) {
    this.config = config;
    this.asns = new AddressDatabase("ASN", config.asns());
    this.countries = new AddressDatabase("country", config.countries());
    this.anonymous = new AddressDatabase("anonymous network", config.anonymous());
  }

  /// Reads the files and watches them until closed.
  public static Networks open(Config config) {
    Networks networks = new Networks(config);
    networks.asns.start();
    networks.countries.start();
    networks.anonymous.start();
    return networks;
  }

  /// Networks without files, which need not be closed.
  public static Networks none() {
    return new Networks(Config.none());
  }

  public boolean knowsAsns() {
    return asns.isLoaded();
  }

  public boolean knowsCountries() {
    return countries.isLoaded();
  }

  /// The number of the autonomous system; 0 when unknown.
  public long asn(ClientAddress address) {
    return asn(asns.find(address));
  }

  private static long asn(Map<?, ?> found) {
    if (found.get("autonomous_system_number") instanceof Number number) {
      return number.longValue();
    }
    return found.get("asn") instanceof String text && text.matches("AS[0-9]{1,10}")
        ? Long.parseLong(text.substring(2))
        : 0;
  }

  /// The country by its two letters of ISO 3166, in upper case; empty when unknown.
  public String country(ClientAddress address) {
    Map<?, ?> found = countries.find(address);
    Object code =
        found.get("country") instanceof Map<?, ?> country
            ? country.get("iso_code")
            : found.containsKey("country_code") ? found.get("country_code") : found.get("country");
    return code instanceof String text && text.matches("[A-Za-z]{2}")
        ? text.toUpperCase(Locale.ROOT)
        : "";
  }

  /// Everything that the files say about an address.
  public Facts facts(ClientAddress address) {
    Map<?, ?> listed = anonymous.find(address);
    Map<?, ?> system = asns.find(address);
    return new Facts(
        country(address),
        asn(system),
        kind(system, listed),
        hasAny(listed, PROXY),
        hasAny(listed, VPN),
        hasAny(listed, TOR));
  }

  private NetworkKind kind(Map<?, ?> found, Map<?, ?> listed) {
    long number = asn(found);
    if (config.hosting().contains(number)) {
      return NetworkKind.HOSTING;
    }
    if (config.mobile().contains(number)) {
      return NetworkKind.MOBILE;
    }
    if (hasAny(listed, HOSTING)) {
      return NetworkKind.HOSTING;
    }
    Object type = found.containsKey("type") ? found.get("type") : found.get("user_type");
    return switch (type instanceof String text ? text : "") {
      case "hosting", "content_delivery_network" -> NetworkKind.HOSTING;
      case "mobile", "cellular" -> NetworkKind.MOBILE;
      case "isp", "residential", "cafe", "traveler" -> NetworkKind.RESIDENTIAL;
      case "education", "school", "college", "library" -> NetworkKind.EDUCATION;
      case "business", "government", "military" -> NetworkKind.BUSINESS;
      default -> NetworkKind.UNKNOWN;
    };
  }

  private static boolean hasAny(Map<?, ?> found, List<String> names) {
    for (String name : names) {
      // One format has booleans, another the text "true".
      if (Boolean.TRUE.equals(found.get(name)) || "true".equals(found.get(name))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    asns.close();
    countries.close();
    anonymous.close();
  }

  public enum NetworkKind {
    /// Servers. People rarely buy from there, except through a VPN.
    HOSTING,
    /// A mobile carrier, where thousands of people share an address.
    MOBILE,
    RESIDENTIAL,
    EDUCATION,
    BUSINESS,
    UNKNOWN;

    /// The name in features and records; empty when unknown.
    public String word() {
      return this == UNKNOWN ? "" : name().toLowerCase(Locale.ROOT);
    }
  }

  /// The properties of an address by the operator's files.
  ///
  /// @param country two letters of ISO 3166 in upper case; empty when unknown
  /// @param asn the number of the autonomous system; 0 when unknown
  /// @param kind the operator's lists of autonomous systems win over the files
  /// @param proxy whether it is on the list of public or residential proxies
  /// @param vpn whether it is an exit of a VPN or a relay, which many honest people use
  /// @param tor whether it is an exit of Tor
  public record Facts(
      String country, long asn, NetworkKind kind, boolean proxy, boolean vpn, boolean tor) {}

  /// Settings of networks. Files are in the `mmdb` format and are watched for changes.
  ///
  /// @param asns a file with the numbers of autonomous systems
  /// @param countries a file with countries
  /// @param anonymous a file with proxies, VPNs, relays and Tor exits
  /// @param hosting autonomous systems of hosting providers, in addition to those the files name
  /// @param mobile autonomous systems of mobile carriers, likewise
  public record Config(
      @Nullable Path asns,
      @Nullable Path countries,
      @Nullable Path anonymous,
      Set<Long> hosting,
      Set<Long> mobile) {
    public Config {
      hosting = Set.copyOf(hosting);
      mobile = Set.copyOf(mobile);
    }

    public static Config none() {
      return new Config(null, null, null, Set.of(), Set.of());
    }

    public Config withAsns(Path file) {
      return new Config(file, countries, anonymous, hosting, mobile);
    }

    public Config withCountries(Path file) {
      return new Config(asns, file, anonymous, hosting, mobile);
    }
  }

  /// Looks up the records of addresses in one `mmdb` file.
  ///
  /// The file is held in memory and checked for changes every two seconds. A new file replaces the
  /// old one once it can be read. A lookup never blocks and never fails.
  static final class AddressDatabase implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AddressDatabase.class);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);
    private static final long MAX_BYTES = 1L << 29;
    private static final ClientAddress TRIAL = new ClientAddress(0, 0xffff_0808_0808L);

    private final String name;
    private final @Nullable Path file;
    private volatile @Nullable Reader reader;
    private @Nullable Version seen;
    private @Nullable PeriodicJob job;

    /// The attributes by which a change of the file is detected.
    private record Version(FileTime modified, long size) {}

    /// @param name for the log
    /// @param file null without a file; every address is then unknown
    AddressDatabase(String name, @Nullable Path file) {
      this.name = name;
      this.file = file;
    }

    /// Reads the file and starts to watch it. The file may appear later.
    void start() {
      if (file != null) {
        reload(file);
        job = new PeriodicJob(name + "-database", CHECK_INTERVAL, () -> reload(file));
        job.start();
      }
    }

    boolean isLoaded() {
      return reader != null;
    }

    /// The record of an address; empty when unknown.
    Map<?, ?> find(ClientAddress address) {
      Reader current = reader;
      if (current == null) {
        return Map.of();
      }
      try {
        return find(current, address);
      } catch (IOException | RuntimeException e) {
        LOG.debug("Lookup in the {} database failed", name, e);
        return Map.of();
      }
    }

    private static Map<?, ?> find(Reader reader, ClientAddress address) throws IOException {
      Map<?, ?> found = reader.get(inet(address), Map.class);
      return found == null ? Map.of() : found;
    }

    private static InetAddress inet(ClientAddress address) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low());
      // Java converts the sixteen bytes of a mapped address into an IPv4 address.
      return InetAddress.getByAddress(bytes.array());
    }

    /// Loads the file if it has changed and can be read.
    void reload(Path path) {
      try {
        Version now = new Version(Files.getLastModifiedTime(path), Files.size(path));
        if (now.equals(seen)) {
          return;
        }
        // Stored before reading, so that an unreadable file is logged once.
        seen = now;
        if (now.size() > MAX_BYTES) {
          throw new IOException("larger than 512 MiB");
        }
        Reader fresh = new Reader(new ByteArrayInputStream(Files.readAllBytes(path)));
        var _ = find(fresh, TRIAL);
        reader = fresh;
        LOG.info(
            "Loaded {} database; path={}, nodes={}", name, path, fresh.getMetadata().nodeCount());
      } catch (IOException | RuntimeException e) {
        LOG.warn("Could not read the {} database; path={}", name, path, e);
      }
    }

    @Override
    public void close() {
      if (job != null) {
        job.close();
      }
    }
  }
}
