package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.Witnesses;
import fairgate.platform.feature.Feature.Site;
import fairgate.platform.feature.FeatureSettings;
import fairgate.platform.feature.Setting;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/// The settings of draws.
public record DrawSettings(
    @Setting(
            name = "draws.log_name",
            values = "host and path without a scheme",
            doc =
                "Name of the public logs of draws, such as `shop.example/fairgate`. Empty uses the "
                    + "host of `sign_in.base_url`. It must never change, because receipts and "
                    + "witnesses name it.")
        String logName,
    @Setting(
            name = "draws.beacon_urls",
            fallback =
                "https://api.drand.sh,https://api2.drand.sh,https://api3.drand.sh,https://drand.cloudflare.com",
            values = "list",
            doc =
                "Addresses of drand's HTTP API. None of them is trusted: signatures are verified. "
                    + "Anybody can also send the beacon to `POST /api/beacons/{chain}`.")
        List<String> beaconUrls,
    @Setting(
            name = "draws.chain_file",
            values = "file",
            doc =
                "The beacon chain of new draws, as drand's `/info` describes it; empty for drand's "
                    + "`quicknet`. Verifiers accept another chain only if they are given its hash.")
        String chainFile,
    @Setting(
            name = "draws.second_chain_file",
            values = "file",
            doc =
                "The chain of a second beacon of new draws, as drand's `/info` describes it; empty "
                    + "for none. It decides if the round of the first one and its fallback rounds "
                    + "are all given up. Its relays belong into `draws.beacon_urls`, too.")
        String secondChainFile,
    @Setting(
            name = "draws.fallback_minutes",
            fallback = "30",
            min = 1,
            max = 1_440,
            doc = "How long a draw waits for its beacon round before its fallback round decides.")
        int fallbackMinutes,
    @Setting(
            name = "draws.witnesses",
            values = "list of KEY ADDRESS",
            doc =
                "Witnesses that cosign the public log (C2SP tlog-witness): the verifier key of each, "
                    + "a space, and its address. The rules of new draws name the keys. At most 32.")
        List<String> witnesses,
    @Setting(
            name = "draws.quorum",
            fallback = "0",
            min = 0,
            max = 32,
            doc =
                "How many witnesses must cosign the rules of a draw before it opens, and its seal "
                    + "60 seconds before the beacon; otherwise the draw is aborted. 0 asks none to.")
        int quorum,
    @Setting(
            name = "draws.room_seconds",
            fallback = "90",
            min = 5,
            max = 3_600,
            doc =
                "Time between the sealing of a waiting room with `pre_queue` `draw` and the beacon "
                    + "round that decides its order. At least 75 with witnesses.")
        int roomSeconds,
    @Setting(
            name = "draws.time_zone",
            values = "time zone such as Asia/Taipei",
            doc =
                "Default time zone of new draws, itself by default `shop.time_zone`. Offers to winners "
                    + "end between 08:00 and 22:00 in it.")
        Optional<ZoneId> timeZone)
    implements FeatureSettings {
  private static final Duration PASS = Duration.ofSeconds(1);
  private static final int MAX_WITNESSES = 32;
  private static final int MIN_WITNESSED_MARGIN = 75;

  @Override
  public List<String> problems(boolean serve) {
    try {
      var _ = chains();
      var _ = witnessing();
      var _ = roomMargin();
      return List.of();
    } catch (IllegalArgumentException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  /// Reads the files that the settings name. Throws IllegalArgumentException for a wrong setting.
  DrawFeature.Config config(Site site) {
    return new DrawFeature.Config(
        logName(site.signInUrl()),
        chains(),
        beaconUrls,
        timeZone.orElse(site.pages().zone()),
        Duration.ofMinutes(fallbackMinutes),
        witnessing(),
        roomMargin(),
        PASS);
  }

  private String logName(String signInUrl) {
    if (!logName.isEmpty()) {
      return logName;
    }
    return (signInUrl.isEmpty() ? "localhost" : URI.create(signInUrl).getHost()) + "/fairgate";
  }

  /// The witnesses sign each second, and their signatures count until a minute before the round.
  private Duration roomMargin() {
    if (quorum > 0 && roomSeconds < MIN_WITNESSED_MARGIN) {
      throw new IllegalArgumentException("draws.room_seconds: at least 75 with draws.quorum");
    }
    return Duration.ofSeconds(roomSeconds);
  }

  private Witnesses.Config witnessing() {
    List<Witnesses.Config.Witness> all =
        witnesses.stream().filter(text -> !text.isBlank()).map(DrawSettings::witness).toList();
    long keys = all.stream().map(it -> it.key().text()).distinct().count();
    if (all.size() > MAX_WITNESSES || keys < all.size() || quorum > all.size()) {
      throw new IllegalArgumentException(
          "draws.witnesses: at most 32 different witnesses, and as many as draws.quorum");
    }
    return new Witnesses.Config(all, quorum);
  }

  private static Witnesses.Config.Witness witness(String text) {
    String[] parts = text.strip().split(" +", 2);
    try {
      URI address = URI.create(parts.length == 2 ? parts[1] : "");
      boolean isWeb = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      return VerifierKey.parse(parts[0], VerifierKey.Type.COSIGNATURE)
          .filter(_ -> isWeb && address.getHost() != null)
          .map(key -> new Witnesses.Config.Witness(key, address))
          .orElseThrow(() -> new IllegalArgumentException(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("draws.witnesses: not a key and an address: " + text, e);
    }
  }

  private Draw.Chains chains() {
    String first = chain("draws.chain_file", chainFile);
    String second = chain("draws.second_chain_file", secondChainFile);
    if (!second.isEmpty() && hash(second).equals(hash(first))) {
      throw new IllegalArgumentException(
          "draws.second_chain_file: not another chain than the first");
    }
    return new Draw.Chains(first, second);
  }

  private static String hash(String info) {
    return info.isEmpty() ? BeaconChain.QUICKNET.hash() : Draw.Chains.parse(info).hash();
  }

  private static String chain(String setting, String file) {
    if (file.isEmpty()) {
      return "";
    }
    try {
      byte[] info = Files.readAllBytes(Path.of(file));
      if (BeaconChain.parse(info).isEmpty()) {
        throw new IllegalArgumentException(setting + ": " + file + " describes no beacon chain");
      }
      return StrictText.utf8(info).orElseThrow();
    } catch (IOException e) {
      throw new IllegalArgumentException(setting + ": " + file + " cannot be read", e);
    }
  }
}
