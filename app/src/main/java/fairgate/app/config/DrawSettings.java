package fairgate.app.config;

import fairgate.platform.feature.Setting;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/// Draws of sales.
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
        Optional<ZoneId> timeZone) {}
