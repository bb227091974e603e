"""What the compose file starts: fixed versions, reachable from this machine alone, with files that there are."""
import re
import unittest
from typing import Any

import yaml
from boards_at_hand import GRAFANA, ROOT, dashboards


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((GRAFANA / name).read_text())
    return content


class Compose(unittest.TestCase):
    def setUp(self) -> None:
        self.services: dict[str, dict[str, Any]] = read("compose.yml")["services"]

    def test_pins_the_version_of_every_image(self) -> None:
        self.assertEqual(set(self.services), {"prometheus", "grafana"})
        for name, service in self.services.items():
            self.assertRegex(service["image"], r"^[a-z]+/[a-z]+:v?\d+\.\d+\.\d+$", name)

    def test_listens_on_the_loopback_interface_alone(self) -> None:
        self.assertEqual({service["network_mode"] for service in self.services.values()}, {"host"})
        self.assertIn("--web.listen-address=127.0.0.1:9090", self.services["prometheus"]["command"])
        self.assertEqual(self.services["grafana"]["environment"]["GF_SERVER_HTTP_ADDR"], "127.0.0.1")

    def test_mounts_files_that_there_are_and_lets_nobody_write_to_them(self) -> None:
        mounted = [volume for service in self.services.values() for volume in service["volumes"] if volume.startswith(".")]
        self.assertEqual(len(mounted), 3)
        for volume in mounted:
            source, _, rest = volume.partition(":")
            self.assertTrue((GRAFANA / source).exists(), volume)
            self.assertTrue(rest.endswith(":ro"), volume)


class Provisioning(unittest.TestCase):
    def test_the_data_source_is_the_prometheus_beside_it_and_knows_the_time_between_scrapes(self) -> None:
        source, = read("provisioning/datasources/sluice.yml")["datasources"]
        example = yaml.safe_load((ROOT / "exporters" / "prometheus" / "prometheus.yml").read_text())
        self.assertEqual(source["jsonData"]["timeInterval"], example["global"]["scrape_interval"])
        self.assertEqual((source["uid"], source["type"], source["editable"]), ("sluice-prometheus", "prometheus", False))
        self.assertEqual(source["url"], "http://127.0.0.1:9090")

    def test_the_dashboards_are_those_of_this_folder_and_not_changed_in_the_browser(self) -> None:
        provider, = read("provisioning/dashboards/sluice.yml")["providers"]
        self.assertIs(provider["allowUiUpdates"], False)
        mounts = read("compose.yml")["services"]["grafana"]["volumes"]
        self.assertTrue(any(re.match(rf"\./dashboards:{re.escape(provider['options']['path'])}:ro", mount) for mount in mounts), mounts)

    def test_no_dashboard_names_the_data_source(self) -> None:
        for name, dashboard in dashboards().items():
            self.assertNotIn("sluice-prometheus", str(dashboard), name)


if __name__ == "__main__":
    unittest.main()
