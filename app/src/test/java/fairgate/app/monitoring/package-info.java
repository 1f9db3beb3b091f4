/// Tests of the files for Prometheus and Grafana, and of metrics of sales.
@NullMarked
package fairgate.app.monitoring;

import org.jspecify.annotations.NullMarked;
